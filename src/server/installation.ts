import type { Installation } from '../contract/operation.ts'
import { tooMany } from '../contract/services.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/clock.ts'
import { FixedWindowLimiter } from '../lib/fixed-window-limiter.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/seal.ts'
import { tolerate } from '../lib/tolerate.ts'
import { queueAccountMail } from '../notifications/deliveries/account-mails.ts'
import { parseAddressPolicy } from '../outbound/address-policy.ts'
import type { Database } from '../storage/database.ts'
import type { Config } from './config/config.ts'
import { prepareUploadFolder } from './data-folder.ts'
import { openTransports } from './workers/alerts.ts'

interface Given extends Pick<Installation, 'runProbe' | 'queryDns' | 'foreign'> {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly log: Log
  /** The public URL, known once the server listens. */
  readonly baseUrl: () => string
}

/** Opens what operations use besides the database. */
export function openInstallation(
  { config, database, sealer, log, baseUrl, runProbe, queryDns, foreign }: Given,
  undo: (() => unknown)[],
): Installation {
  const { transports, close } = openTransports(config)
  undo.push(close)
  const limiter = new FixedWindowLimiter(MINUTE_MS)
  const refused = new FixedWindowLimiter(HOUR_MS)
  return {
    get baseUrl() {
      return baseUrl()
    },
    runProbe,
    queryDns,
    foreign,
    targetPolicy: parseAddressPolicy(config.privateTargets),
    requiresDomainProof: config.requiresDomainProof,
    confirmDelaysSeconds: config.confirmDelaysSeconds,
    sealer,
    webhooks: {
      policy: parseAddressPolicy(config.privateWebhooks),
      maxAttempts: config.webhookScheduleSeconds.length,
    },
    missingMailVariables: config.missingMailVariables,
    transports,
    uploadFolder: prepareUploadFolder(config.dataDir, log),
    countUse: (subject, max, now) => limiter.count(subject, max, now),
    refusals(subject, maxPerHour, now) {
      const waitMs = refused.waitMs(subject, maxPerHour, now)
      if (waitMs > 0) throw tooMany(waitMs)
      return { count: () => void refused.use(subject, now) }
    },
    runApart: (what, work) => void database.write(work).catch(tolerate(log, what)),
    queueMail: config.mail && ((email, expiresAt, now) => queueAccountMail(email, expiresAt, sealer, now)),
  }
}
