import { type DbWork, execute } from '../../storage/query.ts'
import { subscriberOf, updateOf } from './queries.ts'

/** Idempotent. False if the subscriber no longer exists or was disabled. */
export function* confirm(orgId: string, id: string, now: number): DbWork<boolean> {
  const cleared = { confirm_by: null, rejections: 0, last_error: null, failing_since: null }
  const confirmed = updateOf(orgId, id).set({ state: 'CONFIRMED', confirmed_at: now, ...cleared })
  yield* execute(confirmed.where('state', '=', 'PENDING'))
  return (yield* subscriberOf(orgId, id))?.state === 'CONFIRMED'
}
