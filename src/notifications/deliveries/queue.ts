import type { Insertable } from 'kysely'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import { type Claimed, Queue } from '../../storage/queue/queue.ts'
import type { DeliveryKind, Medium } from '../../storage/schema/deliveries.ts'
import type { Schema } from '../../storage/schema.ts'

const columns = [
  'org_id',
  'kind',
  'medium',
  'target_id',
  'payload',
  'after_num',
  'attempts',
  'expires_at',
  'created_at',
] as const

/** A lease is longer than the work under one claim can take. */
export const deliveryQueue = new Queue({ table: 'deliveries', key: ['id'], due: 'due_at', leaseMs: 180_000, columns })

/** A delivery that this node has claimed. */
export type DeliveryClaim = Claimed<'deliveries', 'id', (typeof columns)[number]>

/** Claims due deliveries; `isBulk` chooses between notices, which can be very many, and messages that somebody waits for. */
export function claimingDeliveries(medium: Medium, isBulk: boolean) {
  return deliveryQueue.claiming((is) => is.and([is('medium', '=', medium), is('kind', isBulk ? '=' : '!=', 'NOTICE')]))
}

type NewDelivery = Omit<Insertable<Schema['deliveries']>, 'after_num' | 'claimed_by'>

/** Adds deliveries in the transaction of the change that causes them. One with the same id is replaced. */
export function* addDeliveries(deliveries: readonly NewDelivery[]): DbWork<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map((each) => ({ attempts: 0, ...each, claimed_by: null }))
  yield* execute(
    q
      .insertInto('deliveries')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          payload: ref('excluded.payload'),
          attempts: ref('excluded.attempts'),
          due_at: ref('excluded.due_at'),
          claimed_by: null,
          expires_at: ref('excluded.expires_at'),
          created_at: ref('excluded.created_at'),
        })),
      ),
  )
}

/** Deletes deliveries that were not sent in time. */
export const pruneExpired = pruning({ table: 'deliveries', key: ['id'], by: 'expires_at' })

/** Across all organizations. */
export function* countPending(kind: DeliveryKind): DbWork<number> {
  const counted = q.selectFrom('deliveries').select((is) => is.fn.countAll<number>().as('count'))
  return (yield* execute(counted.where('kind', '=', kind)))[0]?.count ?? 0
}
