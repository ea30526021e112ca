import { DAY_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

/** The networks that a user has signed in from. They outlive sessions, which a password reset ends. */

const RETENTION_MS = 90 * DAY_MS
const MAX_PER_USER = 10

export function* recordSignIn(userId: string, address: string, now: number): DbWork<void> {
  yield* execute(
    q
      .insertInto('sign_in_networks')
      .values({ user_id: userId, address, last_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'address']).doUpdateSet({ last_at: now })),
  )
  const networks = q.selectFrom('sign_in_networks').select('address').where('user_id', '=', userId)
  const kept = networks.orderBy('last_at', 'desc').limit(MAX_PER_USER)
  yield* execute(q.deleteFrom('sign_in_networks').where('user_id', '=', userId).where('address', 'not in', kept))
}

export function* hasSignedInFrom(userId: string, address: string, now: number): DbWork<boolean> {
  const networks = q.selectFrom('sign_in_networks').select('last_at').where('user_id', '=', userId)
  const [signIn] = yield* execute(networks.where('address', '=', address))
  return signIn !== undefined && signIn.last_at + RETENTION_MS > now
}

/** Deletes up to `limit` networks without a sign-in for 90 days; returns how many. */
export const pruneKnownNetworks = pruning({
  table: 'sign_in_networks',
  key: ['user_id', 'address'],
  by: 'last_at',
  keptMs: RETENTION_MS,
})
