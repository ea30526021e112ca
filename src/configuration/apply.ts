import { actorOf } from '../contract/actor.ts'
import { ApiError, invalid } from '../contract/errors.ts'
import {
  type Installation,
  networkOperation,
  type Operation,
  type OperationContext,
  WithHeaders,
} from '../contract/operation.ts'
import { type AuditEntry, recordAuditEntries } from '../events/audit.ts'
import { resourceKindOf } from '../lib/ids.ts'
import { canonicalJson, Json, parseStored } from '../lib/json.ts'
import type { Labels } from '../lib/selector.ts'
import { type LabelListener, lockLabels } from '../monitoring/labels/save.ts'
import { replaceLabels } from '../monitoring/monitors/labels.ts'
import { awaitSent, commitPortion, type DbWork, execute, notifyWatchers, q } from '../storage/query.ts'
import { ChangeList } from './change-list.ts'
import { deletedMonitors, requireConfirmation } from './confirm-deletes.ts'
import { changedNames } from './diff.ts'
import { sourceIn } from './document.ts'
import { saveWaitingContacts } from './finish-import.ts'
import { removeItems, saveItems, storedOf } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import { type Fields, pick } from './kinds/fields.ts'
import type { Call, KindName } from './kinds/kind.ts'
import { muteAtFirst } from './mute-at-first.ts'
import { comparePortions, type Plan, type PlannedChange, type ReceiveChanges } from './plan.ts'
import { newKeyIn } from './references.ts'
import { ApplyConfiguration, ConfigurationResult } from './schema.ts'
import { openPlan, removePlan } from './stored-plans.ts'

/** Kinds whose operations need the network, or hash passwords. */
const networkKinds: readonly KindName[] = ['statusPages']

/** What an operation found outside of the transaction, by kind and key. */
type Findings = ReadonlyMap<string, unknown>

type Operations = ReadonlyMap<string, Operation>

interface Task {
  readonly place: string
  readonly run: (installation: Installation, signal: AbortSignal) => Promise<unknown>
}

/** Applies plans by calling the operations on single resources, in one transaction. */
export const applyConfiguration = (all: readonly Operation[], labelListeners: readonly LabelListener[]) => {
  const operations: Operations = new Map(all.map((operation) => [operation.id, operation]))
  return networkOperation({
    id: 'applyConfiguration',
    method: 'POST',
    path: '/configuration/apply',
    access: 'write',
    extension: true,
    tag: 'Configuration',
    bulk: true,
    // Every change has an audit entry of its own.
    skipsAudit: true,
    notifies: true,
    summary: 'Apply a plan',
    description:
      'Makes all changes of a plan in one transaction, with the events and audit entries of the operations on single resources. A 409 ' +
      'if anything that the plan touches has changed since, or if the plan is older than an hour. Limits of the plan of the ' +
      'organization apply as they do to single creations.',
    body: ApplyConfiguration,
    answer: { status: 200, schema: ConfigurationResult, description: 'What was changed' },
    errors: ['conflict', 'plan_limit', 'not_found'],
    *prepare(context, { body: { planId } }) {
      const { wanted } = yield* openPlan(context, planId)
      const tasks: Task[] = []
      const receive: ReceiveChanges = function* (changes) {
        for (const planned of changes) tasks.push(...(yield* tasksOf(operations, context, planned)))
      }
      const { faults } = yield* comparePortions(context, wanted, receive, { only: networkKinds, rest: commitPortion })
      // What the document refers to is gone.
      if (faults.length > 0) throw outdated()
      return tasks
    },
    async run(tasks: readonly Task[], installation, signal) {
      const findings = new Map<string, unknown>()
      for (const { place, run } of tasks) findings.set(place, await run(installation, signal))
      return findings
    },
    *save(context, { body: { planId, confirmDeletes } }, findings: Findings) {
      const { orgId } = context.caller
      // Before anything else is locked, as in other changes of labels.
      yield* lockLabels(orgId)
      const { wanted, digest } = yield* openPlan(context, planId)
      // Compared twice, so that nothing is executed before all of it is known, and nothing holds all changes of a large plan.
      let deletes = 0
      const compared = yield* comparePortions(context, wanted, function* (changes) {
        deletes += deletedMonitors(changes)
        yield* []
      })
      requireUnchanged(compared, digest)
      requireConfirmation(deletes, compared.managedMonitors, confirmDeletes)
      yield* removePlan(orgId, planId)
      const list = new ChangeList()
      const execution = createExecution(operations, labelListeners, context, sourceIn(wanted.document.outer), findings)
      const executed = yield* comparePortions(context, wanted, function* (changes) {
        const different = changes.filter(({ change }) => change.action !== 'NONE')
        list.countSame(changes.length - different.length)
        yield* execution.run(different)
        list.add(different, execution.created)
      })
      requireUnchanged(executed, digest)
      yield* execution.finish()
      return list.json()
    },
  })
}

/** What was planned must be what would be planned now. There are faults if something is gone that the document refers to. */
function requireUnchanged({ faults, digest }: Plan, planned: string): void {
  if (faults.length > 0 || digest !== planned) throw outdated()
}

function outdated(): ApiError {
  return new ApiError('conflict', 'Resources of this plan have changed since. Nothing was applied. Plan again')
}

function* tasksOf(operations: Operations, context: OperationContext, planned: PlannedChange): DbWork<readonly Task[]> {
  const tasks: Task[] = []
  for (const call of callsOf(planned)) {
    const operation = operationNamed(operations, call.operation)
    if (!('prepare' in operation)) continue
    const input = inputOf(planned.change.kind, call, planned.change.id)
    const task = yield* operation.prepare(context, input as never)
    const place = placeOf(planned)
    tasks.push({ place, run: (installation, signal) => operation.run(task, installation, signal) })
  }
  return tasks
}

function placeOf({ change: { kind, key } }: PlannedChange): string {
  return `${kind}/${key}`
}

function callsOf({ change, before, after }: PlannedChange): readonly Call[] {
  const { create, update, remove } = kinds[change.kind]
  if (change.action === 'CREATE') return create(after as Fields)
  if (change.action === 'DELETE') return [{ operation: remove }]
  if (change.action !== 'UPDATE') return []
  const changed = changedNames(before as Fields, after as Fields)
  return changed.size > 0 ? update(before as Fields, after as Fields, changed) : []
}

function inputOf(kind: KindName, { params, body }: Call, id: string | undefined) {
  const path = id === undefined ? {} : (params?.(id) ?? { [kinds[kind].param]: id })
  return { params: path, query: undefined, body }
}

function operationNamed(operations: Operations, id: string): Operation {
  const found = operations.get(id)
  if (found === undefined) throw new Error(`There is no operation ${id}`)
  return found
}

/** The execution of one plan inside its transaction. */
function createExecution(
  operations: Operations,
  labelListeners: readonly LabelListener[],
  context: OperationContext,
  source: string,
  findings: Findings,
) {
  /** What is known of new resources only once they are created, by kind and key. */
  const made = new Map<string, Created>()
  const changedKinds = new Set<KindName>()
  const deletions: (readonly PlannedChange[])[] = []

  /** Makes some changes of one kind. Deletions wait until nothing refers to what they delete. */
  function* run(portion: readonly PlannedChange[]): DbWork<void> {
    const [first] = portion
    if (first === undefined) return
    if (first.change.action === 'DELETE') deletions.push(portion)
    else yield* runPortion(portion, first.change.kind)
  }

  /** Makes the deletions, in reverse order of the kinds, and notifies watchers of all changes. */
  function* finish(): DbWork<void> {
    for (const portion of deletions.toReversed()) {
      yield* runPortion(portion, (portion[0] as PlannedChange).change.kind)
    }
    const { orgId } = context.caller
    const notices = [...changedKinds].map((kind) => ({ orgId, kind: resourceKindOf(kinds[kind].idPrefix), id: null }))
    yield* notifyWatchers(...notices)
  }

  function* runPortion(portion: readonly PlannedChange[], kind: KindName): DbWork<void> {
    changedKinds.add(kind)
    yield* lock(portion, kind)
    const entries: AuditEntry[] = []
    const labels = new Map<string, Labels>()
    for (const planned of portion) yield* runChange(planned, entries, labels)
    // Together, because the labels of one monitor take seven round trips.
    if (labels.size > 0) yield* replaceLabels(context.caller.orgId, labels, labelListeners, context.now)
    yield* recordAuditEntries(entries)
    yield* recordItems(portion)
    yield* awaitSent()
  }

  /** Locks what changes. A change that another transaction has made after the comparison is a conflict. */
  function* lock(portion: readonly PlannedChange[], kind: KindName): DbWork<void> {
    const existing = portion.filter(({ before }) => before !== undefined)
    if (existing.length === 0) return
    const ids = existing.map(({ change }) => change.id as string).sort()
    yield* execute(
      q
        .selectFrom(kinds[kind].table as 'monitors')
        .select('id')
        .where('org_id', '=', context.caller.orgId)
        .where('id', 'in', ids)
        .orderBy('id')
        .forUpdate(),
    )
    const stored = yield* storedOf(context, kind, ids)
    const fieldsOf = (id: string | undefined) => stored.get(String(id))?.fields
    if (existing.some(({ change, before }) => canonicalJson(fieldsOf(change.id)) !== canonicalJson(before))) {
      throw outdated()
    }
  }

  function* runChange(planned: PlannedChange, entries: AuditEntry[], labels: Map<string, Labels>): DbWork<void> {
    const { change } = planned
    const resolved = planned.after === undefined ? planned : { ...planned, after: withNewIds(planned, made) }
    let { id } = change
    for (const call of callsOf(resolved)) {
      if (call.operation === 'setMonitorLabels' && id !== undefined) labels.set(id, call.body?.labels as Labels)
      else {
        const answer = yield* runCall(planned, call, id)
        if (id === undefined) {
          const found = createdIn(change.kind, answer)
          made.set(placeOf(planned), found)
          id = found.id
        }
      }
      const operation = operationNamed(operations, call.operation)
      entries.push(auditEntry(context, planned, operation, call.body ?? {}, id as string))
    }
  }

  function* runCall(planned: PlannedChange, call: Call, id: string | undefined): DbWork<unknown> {
    const operation = operationNamed(operations, call.operation)
    const input = inputOf(planned.change.kind, call, id) as never
    try {
      if ('handle' in operation) return yield* operation.handle(context, input)
      if ('save' in operation) {
        return yield* operation.save(context, input, findings.get(placeOf(planned)))
      }
    } catch (error) {
      throw error instanceof ApiError ? atPlace(error, planned, call) : error
    }
    throw new Error(`The operation ${operation.id} cannot be part of a plan`)
  }

  function* recordItems(portion: readonly PlannedChange[]): DbWork<void> {
    const { caller } = context
    const rows = portion.map((planned) => {
      const { kind, key, id = made.get(placeOf(planned))?.id as string } = planned.change
      return { planned, row: { org_id: caller.orgId, kind, resource_id: id, source, key } }
    })
    const isKept = ({ planned }: { planned: PlannedChange }) => planned.after !== undefined
    yield* removeItems(rows.filter((one) => !isKept(one)).map(({ row }) => row))
    yield* saveItems(rows.filter(isKept).map(({ planned, row }) => ({ ...row, secret_hash: planned.secretHash })))
    const waiting = rows.filter(({ planned: { change, after } }) => {
      return change.kind === 'contacts' && change.action === 'CREATE' && after?.enabled === undefined
    })
    yield* saveWaitingContacts(waiting.map(({ row }) => row))
    const muted = rows.filter(({ planned: { change, after } }) => {
      return change.kind === 'monitors' && change.action === 'CREATE' && after?.mutedAtFirst === true
    })
    yield* muteAtFirst(
      context,
      muted.map(({ row }) => row.resource_id),
    )
  }

  return { run, finish, created: (planned: PlannedChange) => made.get(placeOf(planned)) ?? {} }
}

/** What is known of a new resource only once it is created. */
type Created = Fields & { readonly id: string }

/** `created`: by kind and key. */
function withNewIds({ change, after }: PlannedChange, created: ReadonlyMap<string, Created>): Fields {
  return kinds[change.kind].mapReferences(after as Fields, (kind, reference) => {
    const key = newKeyIn(reference)
    return key === undefined ? reference : (created.get(`${kind}/${key}`)?.id ?? reference)
  })
}

function auditEntry(
  { caller, requestId, now }: OperationContext,
  { name }: PlannedChange,
  { id: action, method }: Operation,
  body: Fields,
  target: string,
): AuditEntry {
  return {
    orgId: caller.orgId,
    actor: actorOf(caller),
    action,
    target,
    targetName: name,
    fields: method === 'PATCH' || method === 'PUT' ? Object.keys(body) : [],
    requestId,
    now,
  }
}

function createdIn(kind: KindName, answer: unknown): Created {
  const content = answer instanceof WithHeaders ? answer.answer : answer
  const resource = (content instanceof Json ? parseStored(content.text) : content) as Created
  const { createdFields = [] } = kinds[kind]
  const shown = createdFields.filter((name) => typeof resource[name] === 'string')
  return { id: resource.id, ...pick(resource, shown) }
}

/** Says which resource of the document the error is about. */
function atPlace(error: ApiError, { change: { kind, key } }: PlannedChange, { field }: Call): ApiError {
  const place = `document.${kind}.${key}${field === undefined ? '' : `.${field}`}`
  const details = error.details?.map(({ path, message }) => ({ path: `${place}.${path}`, message }))
  if (error.code === 'validation_error' && details !== undefined) return invalid(details)
  return new ApiError(error.code, `${kind}.${key}: ${error.message}`, { headers: error.headers, cause: error.cause })
}
