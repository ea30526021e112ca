import type { AccountSettings } from '../../contract/app-operation.ts'
import type { Log } from '../../lib/log.ts'
import { openMailbag } from '../../outbound/mail.ts'
import { openOidc } from '../../outbound/oidc.ts'
import { openMessageSenders } from '../workers/alerts.ts'
import type { Config } from '../config/config.ts'
import { Meter } from './meter.ts'

const PATIENCE_MS = 60_000

/** How people come in here, out of the configuration. */
export function openAccounts(config: Config, log: Log, undo: (() => unknown)[]): AccountSettings {
  const { mail, oidc, openSignup, signupPlan } = config
  const { senders, close } = openMessageSenders(config)
  undo.push(close)
  const meter = new Meter()
  const bag = mail && openMailbag(mail, 2)
  if (bag !== undefined) undo.push(() => bag.close())
  const post: AccountSettings['queueMail'] =
    bag &&
    ((letter) => {
      void bag.mail(letter, AbortSignal.timeout(PATIENCE_MS)).then((mailed) => {
        if (!mailed.ok) log.warn(`a letter of an account was not sent: ${mailed.error}`)
      })
    })
  return {
    ...{ queueMail: post, senders, openSignup, signupPlan },
    oidc: oidc && { ...openOidc(oidc), signupRole: oidc.signupRole },
    countUse: (subject, most, now) => meter.spend(subject, most, now),
  }
}
