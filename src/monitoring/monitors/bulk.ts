import { sql } from 'kysely'
import type { Static } from 'typebox'
import Type from 'typebox'
import { actorOf } from '../../contract/actor.ts'
import { ApiError, type Fault, invalid } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { recordAuditEntry } from '../../events/audit.ts'
import { countSelected, selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { readSelector, SelectorText } from '../labels/schema.ts'

/** Bounds the time that one transaction takes. */
export const MAX_BULK_MONITORS = 1_000

/** Which monitors a bulk operation changes: one of the two. */
export const bulkTargets = {
  monitorIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_BULK_MONITORS, ...uniqueItems }),
  ),
  selector: Type.Optional(SelectorText),
}

interface BulkTargets {
  readonly monitorIds?: readonly string[]
  readonly selector?: string
}

export function targetFaults({ monitorIds, selector }: Readonly<Record<string, unknown>>): Fault[] {
  if (monitorIds === undefined && selector === undefined) {
    return [{ path: 'monitorIds', message: 'is required, unless selector is given' }]
  }
  const repeated = duplicateFaults('monitorIds', monitorIds, MAX_BULK_MONITORS)
  if (monitorIds === undefined || selector === undefined) return repeated
  return [...repeated, { path: 'selector', message: 'must not be given together with monitorIds' }]
}

const BulkItem = resource('BulkItem', {
  monitorId: Type.String(),
  name: nullable(Type.String(), { description: 'Null if there is no such monitor' }),
  outcome: oneOf(['CHANGED', 'UNCHANGED', 'FAILED'] as const, {
    description: 'UNCHANGED: the monitor already was as requested',
  }),
  error: nullable(Type.String(), { description: 'Why it failed' }),
})

export const BulkResult = resource('BulkResult', {
  data: Type.Array(BulkItem, { description: 'One entry per monitor, in order of id' }),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
})

type Item = Static<typeof BulkItem>

/** A monitor to change. */
export interface BulkMonitor {
  readonly id: string
  readonly num: number
  readonly name: string
}

/** Returns whether the monitor changed; throws an `ApiError` if it cannot. */
type ChangeOne = (monitor: BulkMonitor) => DbWork<boolean>

export interface BulkMonitors {
  readonly ids: readonly string[]
  readonly existing: ReadonlyMap<string, BulkMonitor>
}

/** The monitors that are meant. They cannot be deleted until the end of the transaction. */
export function* bulkMonitors(orgId: string, { monitorIds, selector }: BulkTargets): DbWork<BulkMonitors> {
  const matching = q.selectFrom('monitors').select(['id', 'num', 'name']).where('org_id', '=', orgId).orderBy('id')
  if (monitorIds !== undefined) {
    const rows = yield* execute(matching.where('id', 'in', [...monitorIds]).forKeyShare())
    // Always in the same order, so that two transactions cannot deadlock.
    return { ids: monitorIds.toSorted(), existing: new Map(rows.map((row) => [row.id, row])) }
  }
  const selection = yield* selectMonitors(orgId, readSelector(selector ?? '', 'selector'))
  const total = yield* countSelected(selection)
  if (total > MAX_BULK_MONITORS) {
    const message = `matches ${total} monitors; at most ${MAX_BULK_MONITORS} can be changed at once`
    throw invalid([{ path: 'selector', message }])
  }
  if (total === 0) return { ids: [], existing: new Map() }
  const rows = yield* execute(matching.where(sql<boolean>`num in (${selection.nums})`).forKeyShare())
  return { ids: rows.map(({ id }) => id), existing: new Map(rows.map((row) => [row.id, row])) }
}

/** Changes the monitors that exist and reports on each. */
export function* changeEach({ ids, existing }: BulkMonitors, change: ChangeOne): DbWork<Static<typeof BulkResult>> {
  const data: Item[] = []
  for (const id of ids) {
    const monitor = existing.get(id)
    data.push(monitor === undefined ? missing(id) : yield* itemOf(monitor, change))
  }
  const count = (outcome: Item['outcome']) => data.filter((item) => item.outcome === outcome).length
  return { data, changed: count('CHANGED'), unchanged: count('UNCHANGED'), failed: count('FAILED') }
}

function* itemOf(monitor: BulkMonitor, change: ChangeOne): DbWork<Item> {
  const { id: monitorId, name } = monitor
  try {
    return { monitorId, name, outcome: (yield* change(monitor)) ? 'CHANGED' : 'UNCHANGED', error: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { monitorId, name, outcome: 'FAILED', error: error.message }
  }
}

function missing(monitorId: string): Item {
  return { monitorId, name: null, outcome: 'FAILED', error: 'The monitor no longer exists' }
}

/** The entry that the operation on a single monitor leaves. */
export function* auditOne(
  { caller, requestId, now }: OperationContext,
  entry: { action: string; target: string; fields?: readonly string[] },
): DbWork<void> {
  const { type, id, name } = actorOf(caller)
  yield* recordAuditEntry({
    ...{ orgId: caller.orgId, targetName: null, fields: [], requestId, now, ...entry },
    actor: { actor_type: type, actor_id: id, actor_name: name },
  })
}
