import type { Accounts } from '../contract/app-operation.ts'
import type { Log } from '../lib/log.ts'
import { openMailbag } from '../outbound/mail.ts'
import { openOidc } from '../outbound/oidc.ts'
import { openWays } from './alerts.ts'
import type { Config } from './config.ts'
import { Meter } from './dashboard/meter.ts'

const PATIENCE_MS = 60_000

/** How people come in here, out of the configuration. */
export function openAccounts(config: Config, log: Log, undo: (() => unknown)[]): Accounts {
  const { mail, oidc, openSignup, signupPlan } = config
  const { ways, close } = openWays(config)
  undo.push(close)
  const meter = new Meter()
  const bag = mail && openMailbag(mail, 2)
  if (bag !== undefined) undo.push(() => bag.close())
  const post: Accounts['post'] =
    bag &&
    ((letter) => {
      void bag.mail(letter, AbortSignal.timeout(PATIENCE_MS)).then((mailed) => {
        if (!mailed.ok) log.warn(`a letter of an account was not sent: ${mailed.error}`)
      })
    })
  return {
    ...{ post, ways, openSignup, signupPlan },
    oidc: oidc && { ...openOidc(oidc), signupRole: oidc.signupRole },
    spend: (subject, most, now) => meter.spend(subject, most, now),
  }
}
