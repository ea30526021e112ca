import type { Services } from '../contract/services.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/seal.ts'
import { queueAccountMail } from '../notifications/deliveries/account-mails.ts'
import type { Config } from './config/config.ts'
import { prepareUploadFolder } from './data-folder.ts'
import { createRequestLimiter } from './request-limiter.ts'
import { openTransports } from './workers/alerts.ts'

/** Opens what operations use besides the database. */
export function openServices(config: Config, sealer: Sealer, log: Log, undo: (() => unknown)[]): Services {
  const { transports, close } = openTransports(config)
  undo.push(close)
  const limiter = createRequestLimiter()
  return {
    missingMailVariables: config.missingMailVariables,
    transports,
    uploadFolder: prepareUploadFolder(config.dataDir, log),
    countUse: (subject, max, now) => limiter.count(subject, max, now),
    queueMail: config.mail && ((email, expiresAt, now) => queueAccountMail(email, expiresAt, sealer, now)),
  }
}
