import type { Services } from '../contract/services.ts'
import type { Log } from '../lib/log.ts'
import { openEmailPool } from '../outbound/email.ts'
import type { Config } from './config/config.ts'
import { createRequestLimiter } from './request-limiter.ts'
import { openTransports } from './workers/alerts.ts'

const MAIL_TIMEOUT_MS = 60_000

/** Opens what operations use besides the database. */
export function openServices(config: Config, log: Log, undo: (() => unknown)[]): Services {
  const { transports, close } = openTransports(config)
  undo.push(close)
  const limiter = createRequestLimiter()
  const pool = config.mail && openEmailPool(config.mail, 2)
  if (pool !== undefined) undo.push(() => pool.close())
  return {
    missingMailVariables: config.missingMailVariables,
    transports,
    countUse: (subject, max, now) => limiter.count(subject, max, now),
    queueMail:
      pool &&
      ((email) => {
        void pool.send(email, AbortSignal.timeout(MAIL_TIMEOUT_MS)).then((result) => {
          if (!result.ok) log.warn(`e-mail not sent: ${result.error}`)
        })
      }),
  }
}
