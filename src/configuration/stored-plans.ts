import { ApiError } from '../contract/errors.ts'
import type { OperationContext } from '../contract/operation.ts'
import { HOUR_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { parseStored } from '../lib/json.ts'
import type { Caller } from '../storage/database.ts'
import { commitPortion, createRest, type DbWork, execute, q } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import { insertLines, openLine, readLines, removeLines, sealLine, type TextId } from '../storage/sealed-lines.ts'
import type { Fields } from './kinds/fields.ts'
import type { PlanInput } from './plan.ts'
import type { DocumentChunk } from './split-document.ts'

const LIFETIME_MS = HOUR_MS
/** Of one key or user. A plan may have several megabytes; the oldest are deleted. */
const MAX_PLANS = 10

export interface StoredPlan {
  readonly wanted: PlanInput
  readonly digest: string
}

/** The first line of a stored plan. The others are the chunks of its document. */
interface Head {
  readonly outer: Fields
  readonly deletes: boolean
  readonly digest: string
}

/** Returns the id of the plan. It is encrypted, because documents contain secrets. */
export function* storePlan({ caller, installation, now }: OperationContext, plan: StoredPlan): DbWork<string> {
  const { orgId } = caller
  const id = newId('plan', now)
  const text: TextId = { orgId, id }
  const { document, deletes } = plan.wanted
  const head: Head = { outer: document.outer, deletes, digest: plan.digest }
  const lines: string[] = []
  for (const [i, line] of [head, ...document.chunks].entries()) {
    lines.push(sealLine(installation.sealer, text, i, JSON.stringify(line)))
    yield* commitPortion()
  }
  const plannedBy = plannerOf(caller)
  const plans = q.selectFrom('configuration_plans').select('id').where('org_id', '=', orgId)
  const own = yield* execute(plans.where('planned_by', '=', plannedBy).orderBy('id', 'desc'))
  const old = own.slice(MAX_PLANS - 1).map(({ id }) => id)
  if (old.length > 0) {
    yield* execute(q.deleteFrom('configuration_plans').where('org_id', '=', orgId).where('id', 'in', old))
    for (const one of old) yield* removeLines({ orgId, id: one })
  }
  yield* execute(
    q.insertInto('configuration_plans').values({ org_id: orgId, id, planned_by: plannedBy, created_at: now }),
  )
  yield* insertLines(text, lines, now + LIFETIME_MS)
  return id
}

/** Who has planned: a key, or a user. */
function plannerOf(caller: Caller): string {
  return 'keyId' in caller ? caller.keyId : caller.userId
}

/** Reads a plan and locks it until the end of the transaction. */
export function* openPlan({ caller, installation, now }: OperationContext, id: string): DbWork<StoredPlan> {
  const { orgId } = caller
  const plans = q.selectFrom('configuration_plans').select('id').where('org_id', '=', orgId).where('id', '=', id)
  const [row] = yield* execute(plans.where('created_at', '>', now - LIFETIME_MS).forUpdate())
  if (row === undefined) {
    throw new ApiError('conflict', 'There is no such plan: it was applied, or it is older than an hour. Plan again')
  }
  const text: TextId = { orgId, id }
  const rest = createRest()
  const opened: unknown[] = []
  for (const [i, line] of (yield* readLines(text)).entries()) {
    opened.push(parseStored(openLine(installation.sealer, text, i, line)))
    yield* rest()
  }
  const [{ outer, deletes, digest }, ...chunks] = opened as [Head, ...DocumentChunk[]]
  return { wanted: { document: { outer, chunks }, deletes }, digest }
}

export function* removePlan(orgId: string, id: string): DbWork<void> {
  yield* execute(q.deleteFrom('configuration_plans').where('org_id', '=', orgId).where('id', '=', id))
  yield* removeLines({ orgId, id })
}

export const prunePlans = pruning({
  table: 'configuration_plans',
  key: ['org_id', 'id'],
  by: 'created_at',
  keptMs: LIFETIME_MS,
})
