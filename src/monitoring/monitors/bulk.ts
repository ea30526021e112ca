import { sql } from 'kysely'
import type { Static } from 'typebox'
import Type from 'typebox'
import { actorOf } from '../../contract/actor.ts'
import { type ApiError, type ErrorCode, errorCodes, type Fault, invalid, notFound } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { having, nullable, oneOf, resource } from '../../contract/schema.ts'
import { readSelector, SelectorText } from '../../contract/selector.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { recordAuditEntries } from '../../events/audit.ts'
import { countSelected, selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { type MonitorToChange, monitorsToChange, monitorsWithStates } from './queries.ts'

/** Bounds the time that one transaction takes. */
export const MAX_BULK_MONITORS = 1_000

/** Which monitors a bulk operation changes: one of the two. */
export const bulkTargets = {
  monitorIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: MAX_BULK_MONITORS,
      description: 'The monitors, unless there is a selector',
      ...uniqueItems,
    }),
  ),
  selector: Type.Optional(SelectorText),
}

/** For the document, what `targetFaults` refuses. */
export const forbiddenTargets = [
  having('monitorIds', 'selector'),
  { not: { anyOf: [having('monitorIds'), having('selector')] } },
]

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
  errorCode: nullable(oneOf(Object.keys(errorCodes) as ErrorCode[]), {
    description: 'The code that the operation on one monitor would answer with',
  }),
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
  readonly state: MonitorState
}

export interface BulkMonitors {
  readonly ids: readonly string[]
  readonly existing: readonly BulkMonitor[]
}

/**
 * How the rows of the monitors are locked: `refer`, so that they cannot be deleted; `label`, against other changes of labels;
 * `change`, with their states. With the lock that is needed from the start, two transactions cannot deadlock.
 */
type BulkLock = 'refer' | 'label' | 'change'

/** The monitors that are meant, locked until the end of the transaction. */
export function* bulkMonitors(
  orgId: string,
  { monitorIds, selector }: BulkTargets,
  lock: BulkLock,
): DbWork<BulkMonitors> {
  if (monitorIds !== undefined) {
    const existing = yield* execute(matching(orgId, lock).where('m.id', 'in', [...monitorIds]))
    return { ids: monitorIds.toSorted(), existing }
  }
  const selection = yield* selectMonitors(orgId, readSelector(selector ?? '', 'selector'))
  const total = yield* countSelected(selection)
  if (total > MAX_BULK_MONITORS) {
    const message = `matches ${total} monitors; at most ${MAX_BULK_MONITORS} can be changed at once`
    throw invalid([{ path: 'selector', message }])
  }
  if (total === 0) return { ids: [], existing: [] }
  const existing = yield* execute(matching(orgId, lock).where(sql<boolean>`m.num in (${selection.nums})`))
  return { ids: existing.map(({ id }) => id), existing }
}

/** Always in the same order, so that two transactions cannot deadlock. */
function matching(orgId: string, lock: BulkLock) {
  const monitors = monitorsWithStates().select(['m.id', 'm.num', 'm.name', 's.state'])
  const rows = monitors.where('m.org_id', '=', orgId).orderBy('m.id')
  if (lock === 'refer') return rows.forKeyShare('m')
  return lock === 'label' ? rows.forNoKeyUpdate('m') : rows.forUpdate()
}

/** Settings and states that are in memory at the same time. A monitor takes up to 600 kB, most take 1 kB. */
const PORTION = 100

/** Changes the monitors that exist, some at a time. `change` returns the ids of those that changed. */
export function* changeInPortions(
  orgId: string,
  { existing }: BulkMonitors,
  change: (monitors: readonly MonitorToChange[]) => DbWork<ReadonlySet<string>>,
): DbWork<ReadonlySet<string>> {
  const ids = existing.map(({ id }) => id)
  const changed = new Set<string>()
  for (let at = 0; at < ids.length; at += PORTION) {
    const monitors = yield* monitorsToChange(orgId, ids.slice(at, at + PORTION))
    for (const id of yield* change(monitors)) changed.add(id)
  }
  return changed
}

/** The answer. `outcomeOf` returns whether a monitor changed, or why it could not be changed. */
export function bulkResult(
  { ids, existing }: BulkMonitors,
  outcomeOf: (monitor: BulkMonitor) => boolean | ApiError,
): Static<typeof BulkResult> {
  const byId = new Map(existing.map((monitor) => [monitor.id, monitor]))
  const data = ids.map((id): Item => {
    const monitor = byId.get(id)
    if (monitor === undefined) {
      const error = { error: 'The monitor no longer exists', errorCode: notFound('monitor').code }
      return { monitorId: id, name: null, outcome: 'FAILED', ...error }
    }
    const outcome = outcomeOf(monitor)
    const item = { monitorId: id, name: monitor.name }
    if (typeof outcome === 'object')
      return { ...item, outcome: 'FAILED', error: outcome.message, errorCode: outcome.code }
    return { ...item, outcome: outcome ? 'CHANGED' : 'UNCHANGED', error: null, errorCode: null }
  })
  const count = (outcome: Item['outcome']) => data.filter((item) => item.outcome === outcome).length
  return { data, changed: count('CHANGED'), unchanged: count('UNCHANGED'), failed: count('FAILED') }
}

/** The entries that the operation on a single resource leaves. */
export function* auditEach(
  { caller, requestId, now }: OperationContext,
  action: string,
  targets: Iterable<{ readonly id: string; readonly name: string }>,
  fields: readonly string[] = [],
): DbWork<void> {
  const entry = { orgId: caller.orgId, actor: actorOf(caller), action, fields, requestId, now }
  yield* recordAuditEntries(
    Array.from(targets, ({ id: target, name: targetName }) => ({ ...entry, target, targetName })),
  )
}
