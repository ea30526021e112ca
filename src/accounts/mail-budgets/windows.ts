import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

/** How many uses a subject has within a window, which begins with its first use. */
export interface Limit {
  readonly kind: string
  readonly max: number
  readonly windowMs: number
}

/** Counts one use in the transaction of what causes it. Returns 0 if it is within the limit, else the time until the window ends. */
export function* countUse({ kind, max, windowMs }: Limit, whose: string, now: number): DbWork<number> {
  // A hash, so that the table holds no addresses.
  const subject = createHash('sha256').update(`${kind} ${whose}`).digest('base64url')
  const insert = q.insertInto('mail_windows').values({ subject, ends_at: now + windowMs, used: 1 })
  const hasEnded = sql`mail_windows.ends_at <= ${now}`
  const change = {
    used: sql<number>`case when ${hasEnded} then 1 else mail_windows.used + 1 end`,
    ends_at: sql<number>`case when ${hasEnded} then ${now + windowMs} else mail_windows.ends_at end`,
  }
  const [window] = yield* execute(
    insert.onConflict((on) => on.column('subject').doUpdateSet(change)).returning(['used', 'ends_at']),
  )
  if (window === undefined) throw new Error('A mail was not counted')
  return window.used <= max ? 0 : window.ends_at - now
}

/** Deletes up to `limit` windows that have ended; returns how many. */
export const pruneMailWindows = pruning({ table: 'mail_windows', key: ['subject'], by: 'ends_at' })
