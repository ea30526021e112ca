import { countUse, type Limit } from '../../accounts/mail-budgets/windows.ts'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'

/** Sign-ups from one client network, for any address and page. */
export const perClient: Limit = { kind: 'subscriber client', max: 20, windowMs: HOUR_MS }
/** Sign-ups to one page. */
export const perPage: Limit = { kind: 'page', max: 500, windowMs: HOUR_MS }
/** Confirmations to one mailbox or URL, over all pages. */
export const perMailbox: Limit = { kind: 'subscriber mailbox', max: 3, windowMs: DAY_MS }
/** Confirmations to the webhooks of one host, over all pages. Otherwise changed URLs could flood a stranger's server. */
export const perHost: Limit = { kind: 'subscriber host', max: 30, windowMs: HOUR_MS }
/** Pages with an unconfirmed sign-up of one address. */
export const MAX_PENDING_PAGES = 5

/** Counts one use; false if it is over the limit. */
export function* countWithin(limit: Limit, whose: string, now: number): DbWork<boolean> {
  return (yield* countUse(limit, whose, now)) === 0
}
