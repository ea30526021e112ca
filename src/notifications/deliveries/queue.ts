import { type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import { type Claimed, Queue } from '../../storage/queue/queue.ts'
import type { DeliveryKind, Medium } from '../../storage/schema/deliveries.ts'

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

export interface NewDelivery {
  readonly id: string
  readonly orgId: string | null
  readonly kind: DeliveryKind
  readonly medium: Medium
  readonly targetId?: string | null
  readonly payload: string
  readonly attempts?: number
  readonly dueAt: number
  readonly expiresAt: number
  readonly createdAt: number
}

const insert = statement((d: Required<NewDelivery>) => {
  const values = {
    org_id: d.orgId,
    kind: d.kind,
    medium: d.medium,
    target_id: d.targetId,
    payload: d.payload,
    attempts: d.attempts,
    due_at: d.dueAt,
    claimed_by: null,
    expires_at: d.expiresAt,
    created_at: d.createdAt,
  }
  return q
    .insertInto('deliveries')
    .values({ id: d.id, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
})

/** Adds deliveries in the transaction of the change that causes them. One with the same id is replaced. */
export function* addDeliveries(deliveries: readonly NewDelivery[]): DbWork<void> {
  yield* runEach(
    insert,
    deliveries.map((each) => ({ targetId: null, attempts: 0, ...each })),
  )
}

/** Deletes deliveries that were not sent in time. */
export const pruneExpired = pruning({ table: 'deliveries', key: ['id'], by: 'expires_at' })

/** Across all organizations. */
export function* countPending(kind: DeliveryKind): DbWork<number> {
  const counted = q.selectFrom('deliveries').select((is) => is.fn.countAll<number>().as('count'))
  return (yield* execute(counted.where('kind', '=', kind)))[0]?.count ?? 0
}
