import { gunzipSync, gzipSync } from 'node:zlib'
import { ApiError } from '../contract/errors.ts'
import type { OperationContext } from '../contract/operation.ts'
import { HOUR_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import type { PlanInput } from './plan.ts'

const LIFETIME_MS = HOUR_MS
/** Of one organization. A plan may have several megabytes; the oldest are deleted. */
const MAX_PLANS = 10

export interface StoredPlan {
  readonly wanted: PlanInput
  readonly digest: string
}

/** Returns the id of the plan. It is encrypted, because documents contain secrets. */
export function* storePlan({ caller, installation, now }: OperationContext, plan: StoredPlan): DbWork<string> {
  const { orgId } = caller
  const kept = q.selectFrom('configuration_plans').select('id').where('org_id', '=', orgId).orderBy('id', 'desc')
  const old = (yield* execute(kept)).slice(MAX_PLANS - 1).map(({ id }) => id)
  if (old.length > 0) {
    yield* execute(q.deleteFrom('configuration_plans').where('org_id', '=', orgId).where('id', 'in', old))
  }
  const id = newId('plan', now)
  const sealed = installation.sealer.seal(gzipSync(JSON.stringify(plan)).toString('base64'), contextOf(orgId, id))
  yield* execute(q.insertInto('configuration_plans').values({ org_id: orgId, id, sealed, created_at: now }))
  return id
}

/** Reads a plan and locks it until the end of the transaction. */
export function* openPlan({ caller, installation, now }: OperationContext, id: string): DbWork<StoredPlan> {
  const { orgId } = caller
  const plans = q.selectFrom('configuration_plans').select('sealed').where('org_id', '=', orgId).where('id', '=', id)
  const [row] = yield* execute(plans.where('created_at', '>', now - LIFETIME_MS).forUpdate())
  if (row === undefined) {
    throw new ApiError('conflict', 'There is no such plan: it was applied, or it is older than an hour. Plan again')
  }
  const text = installation.sealer.open(row.sealed, contextOf(orgId, id))
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString())
}

export function* removePlan(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('configuration_plans').where('org_id', '=', orgId).where('id', '=', id))
}

function contextOf(orgId: string, id: string): string {
  return `configuration plan ${orgId} ${id}`
}

export const prunePlans = pruning({
  table: 'configuration_plans',
  key: ['org_id', 'id'],
  by: 'created_at',
  keptMs: LIFETIME_MS,
})
