import type { AccountSettings } from '../../contract/app-operation.ts'
import type { Log } from '../../lib/log.ts'
import { openEmailPool } from '../../outbound/email.ts'
import { openOidc } from '../../outbound/oidc.ts'
import type { Config } from '../config/config.ts'
import { openTransports } from '../workers/alerts.ts'
import { createRequestLimiter } from './request-limiter.ts'

const MAIL_TIMEOUT_MS = 60_000

/** Builds what account operations need from the configuration. */
export function openAccountServices(config: Config, log: Log, undo: (() => unknown)[]): AccountSettings {
  const { mail, oidc, openSignup, signupPlan } = config
  const { transports, close } = openTransports(config)
  undo.push(close)
  const limiter = createRequestLimiter()
  const bag = mail && openEmailPool(mail, 2)
  if (bag !== undefined) undo.push(() => bag.close())
  const post: AccountSettings['queueMail'] =
    bag &&
    ((letter) => {
      void bag.send(letter, AbortSignal.timeout(MAIL_TIMEOUT_MS)).then((mailed) => {
        if (!mailed.ok) log.warn(`account e-mail not sent: ${mailed.error}`)
      })
    })
  return {
    ...{ queueMail: post, transports, openSignup, signupPlan },
    oidc: oidc && { ...openOidc(oidc), signupRole: oidc.signupRole },
    countUse: (subject, max, now) => limiter.count(subject, max, now),
  }
}
