import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'

/** How often something may be asked for. */
export interface Limit {
  readonly kind: string
  readonly most: number
  readonly windowMs: number
}

/** Whoever asks, for whichever address and page. */
export const perClient: Limit = { kind: 'client', most: 20, windowMs: HOUR_MS }
/** Whoever asks it of one page. */
export const perPage: Limit = { kind: 'page', most: 500, windowMs: HOUR_MS }
/** Mails that ask one address for a confirmation, over all pages: nobody can be pestered through them. */
export const perAddress: Limit = { kind: 'address', most: 3, windowMs: DAY_MS }
/** Pages that wait for the confirmation of one address. */
export const MAX_PENDING_PAGES = 5

interface Spending {
  subject: string
  now: number
  endsAt: number
}

const spend = statement(({ subject, now, endsAt }: Spending) =>
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

/** Counts once more; false where that is too often. Who it was is kept as a hash, and no longer than the window. */
export function* countWithin({ kind, most, windowMs }: Limit, whose: string, now: number): DbWork<boolean> {
  const subject = createHash('sha256').update(`${kind} ${whose}`).digest('base64url')
  const used = (yield* first(spend, { subject, now, endsAt: now + windowMs }))?.used ?? 0
  return used <= most
}
