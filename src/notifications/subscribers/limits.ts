import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'

export interface Limit {
  readonly kind: string
  readonly max: number
  readonly windowMs: number
}

/** Sign-ups from one client network, for any address and page. */
export const perClient: Limit = { kind: 'client', max: 20, windowMs: HOUR_MS }
/** Sign-ups to one page. */
export const perPage: Limit = { kind: 'page', max: 500, windowMs: HOUR_MS }
/** Confirmation e-mails to one address, over all pages. */
export const perAddress: Limit = { kind: 'address', max: 3, windowMs: DAY_MS }
/** Pages with an unconfirmed sign-up of one address. */
export const MAX_PENDING_PAGES = 5

interface WindowUse {
  subject: string
  now: number
  endsAt: number
}

const countUse = statement(({ subject, now, endsAt }: WindowUse) =>
  q
    .insertInto('subscriber_rate_windows')
    .values({ subject, ends_at: endsAt, used: 1 })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        used: sql<number>`case when subscriber_rate_windows.ends_at <= ${now} then 1 else subscriber_rate_windows.used + 1 end`,
        ends_at: sql<number>`case when subscriber_rate_windows.ends_at <= ${now} then ${endsAt} else subscriber_rate_windows.ends_at end`,
      }),
    )
    .returning('used'),
)

/** Counts one use in a fixed window; false if it is over the limit. The subject is stored as a hash. */
export function* countWithin({ kind, max, windowMs }: Limit, whose: string, now: number): DbWork<boolean> {
  const subject = createHash('sha256').update(`${kind} ${whose}`).digest('base64url')
  const used = (yield* first(countUse, { subject, now, endsAt: now + windowMs }))?.used ?? 0
  return used <= max
}
