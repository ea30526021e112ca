import { createHash } from 'node:crypto'
import type { Fault } from '../contract/errors.ts'
import type { OperationContext } from '../contract/operation.ts'
import { canonicalJson } from '../lib/json.ts'
import { constant, createRest, type DbWork, letOthersRun } from '../storage/query.ts'
import { changedNames, type FieldChange, fieldChanges, newFields } from './diff.ts'
import { type Document, type Entry, readDocument, readEntry } from './document.ts'
import { Faults } from './faults.ts'
import { hashedSecret, type Item, type Items, isHashedSecret, itemsOf, namesOf, storedOf } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import { type Fields, pick } from './kinds/fields.ts'
import { type KindName, kindNames, type Stored } from './kinds/kind.ts'
import { References } from './references.ts'
import { entriesIn, type SplitDocument } from './split-document.ts'

export const actions = ['CREATE', 'UPDATE', 'DELETE', 'RELEASE', 'NONE'] as const
type Action = (typeof actions)[number]

/** What a plan does to one resource. */
interface Change {
  readonly action: Action
  readonly kind: KindName
  readonly key: string
  readonly id?: string
  readonly fields: readonly FieldChange[]
  /** Of a deletion: how many days of history go with it. */
  readonly historyDays?: number
  readonly warning?: string
}

/** A change with what applying it needs. */
export interface PlannedChange {
  readonly change: Change
  readonly name: string
  readonly before: Fields | undefined
  readonly after: Fields | undefined
  /** Of the secret that is stored only as a hash. */
  readonly secretHash: string | null
}

export interface Plan {
  /** Everything that is wrong in the document. Without faults, the plan can be applied. */
  readonly faults: readonly Fault[]
  /** Identifies the changes and all that they rest on: the stored values and the wanted ones. */
  readonly digest: string
  /** How many monitors the source manages. */
  readonly managedMonitors: number
}

/** Resources that are released or deleted at once, so that the event loop is free in between. */
const PORTION = 100

/** Receives changes of one kind, in portions. Nothing else holds them: those of a large document take much memory. */
export type ReceiveChanges = (changes: readonly PlannedChange[]) => DbWork<void>

export interface PlanInput {
  readonly document: SplitDocument
  /** Whether resources that are missing in the document are deleted. */
  readonly deletes: boolean
}

/**
 * Compares a document with what is stored. First come the changes of resources that the document has, then of those that it no
 * longer has, kind by kind. With `only`, resources of other kinds are neither read nor compared. Rests after each chunk of the document.
 */
export function* comparePortions(
  context: OperationContext,
  wanted: PlanInput,
  receive: ReceiveChanges,
  { only = kindNames, rest = letOthersRun }: { only?: readonly KindName[]; rest?: () => DbWork<void> } = {},
): DbWork<Plan> {
  const faults = new Faults()
  const document = yield* readDocument(wanted.document, faults, rest)
  // References to entries that were not read would be faults as well.
  if (faults.isFull) return { faults: faults.all, digest: '', managedMonitors: 0 }
  const items = yield* itemsOf(context.caller.orgId)
  const targets = findTargets(document, items, faults)
  const references = new References(document.source, items, targets)
  const hash = createHash('sha256')
  const planner: Planner = {
    context,
    document,
    items,
    targets,
    references,
    faults,
    deletes: wanted.deletes,
    rest,
    *receive(changes) {
      for (const { change, before, after } of changes) {
        if (change.action !== 'NONE') hash.update(canonicalJson([change, before ?? null, after ?? null]))
      }
      yield* receive(changes)
    },
  }
  for (const kind of only) {
    yield* compareKind(planner, kind)
    yield* findLeftovers(planner, kind)
  }
  yield* references.requireIds(context.caller.orgId, faults)
  const managedMonitors = items.monitors.all.filter(({ source }) => source === document.source).length
  return { faults: faults.all, digest: hash.digest('base64'), managedMonitors }
}

/** The stored resource of an entry; undefined if it has to be created. */
interface Target {
  readonly id: string | undefined
  /** The earlier key, or null if nothing managed the resource. Undefined if its key stays. */
  readonly movedFrom?: string | null
}

type Targets = Readonly<Record<KindName, ReadonlyMap<string, Target>>>

function findTargets({ source, entries }: Document, items: Readonly<Record<KindName, Items>>, faults: Faults): Targets {
  const found = kindNames.map((kind) => {
    const keys = new Set(entries[kind].map(({ key }) => key))
    const taken = new Map<string, string>()
    const targets = entries[kind].map((entry): [string, Target] => {
      const target = targetOf(entry, source, items[kind], keys, faults)
      const other = target.id && taken.get(target.id)
      if (other) {
        const path = `${entry.path}.${entry.id === undefined ? 'was' : 'id'}`
        faults.add({ path, message: `names the same ${kinds[kind].noun} as ${other}` })
      } else if (target.id !== undefined) taken.set(target.id, entry.key)
      return [entry.key, target]
    })
    return [kind, new Map(targets)]
  })
  return Object.fromEntries(found)
}

function targetOf(
  { key, path, id, was }: Entry,
  source: string,
  items: Items,
  keys: ReadonlySet<string>,
  faults: Faults,
): Target {
  const owned = items.named(source, key)
  const managed = id === undefined ? undefined : items.withId(id)
  if (id !== undefined && owned?.id !== id) {
    if (owned !== undefined) faults.add({ path: `${path}.id`, message: `is not that of ${key}, which is ${owned.id}` })
    else if (managed === undefined) return { id, movedFrom: null }
    else if (managed.source !== source) {
      faults.add({ path: `${path}.id`, message: `is managed by the source ${managed.source} as ${managed.key}` })
    } else if (managed.key !== was || keys.has(was)) {
      faults.add({ path: `${path}.id`, message: `is ${managed.key} already; to rename it write was: ${managed.key}` })
    }
  }
  if (owned !== undefined) return { id: owned.id }
  const renamed = was === undefined || keys.has(was) ? undefined : items.named(source, was)
  return renamed === undefined ? { id: undefined } : { id: renamed.id, movedFrom: renamed.key }
}

interface Planner {
  readonly context: OperationContext
  readonly document: Document
  readonly items: Readonly<Record<KindName, Items>>
  readonly targets: Targets
  readonly references: References
  readonly faults: Faults
  readonly deletes: boolean
  readonly receive: ReceiveChanges
  readonly rest: () => DbWork<void>
}

function* compareKind(planner: Planner, kind: KindName): DbWork<void> {
  const { context, document, targets, references, faults } = planner
  const existing: Existing = {
    unmanaged: yield* unmanagedNames(planner, kind),
    leftovers: yield* leftoversByIdentity(planner, kind),
  }
  const byKey = new Map(document.entries[kind].map((entry) => [entry.key, entry]))
  for (const chunk of document.chunks) {
    if (chunk.kind !== kind) continue
    if (faults.isFull) return
    const resources = entriesIn(chunk)
    const ids = resources.flatMap(([key]) => targets[kind].get(key)?.id ?? [])
    const stored = yield* storedOf(context, kind, ids)
    const changes: PlannedChange[] = []
    const rest = createRest()
    for (const [key, own] of resources) {
      const entry = byKey.get(key)
      if (entry === undefined || faults.isFull) continue
      yield* rest()
      const read = readEntry(kind, entry, own as Fields, document, context.installation, faults)
      if (read === undefined) continue
      const after = kinds[kind].mapReferences(read, references.resolver(entry.path, faults))
      const target = targets[kind].get(key) as Target
      const before = target.id === undefined ? undefined : stored.get(target.id)
      if (target.id !== undefined && before === undefined) {
        faults.add({ path: `${entry.path}.id`, message: `is not a ${kinds[kind].noun} of this organization` })
      } else if (before === undefined) changes.push(creation(planner, kind, entry, after, existing))
      else changes.push(update(planner, { kind, entry, target, before, after }))
    }
    yield* planner.receive(changes)
    yield* planner.rest()
  }
}

/** Names of resources that nothing manages, for warnings. Read only if something is created. */
function* unmanagedNames(
  { context, targets, items }: Planner,
  kind: KindName,
): DbWork<ReadonlyMap<string | null, string>> {
  if (!isCreating(targets, kind)) return new Map()
  const rows = yield* namesOf(context.caller.orgId, kind)
  return new Map(rows.filter(({ id }) => items[kind].withId(id) === undefined).map(({ id, name }) => [name, id]))
}

function isCreating(targets: Targets, kind: KindName): boolean {
  return [...targets[kind].values()].some(({ id }) => id === undefined)
}

/** The keys of resources that the document no longer has, by what people recognize them by. Read only if something is created. */
function* leftoversByIdentity(planner: Planner, kind: KindName): DbWork<Map<string, string>> {
  const found = new Map<string, string>()
  const left = isCreating(planner.targets, kind) ? leftoversOf(planner, kind) : []
  for (let at = 0; at < left.length; at += PORTION) {
    const portion = left.slice(at, at + PORTION)
    const stored = yield* storedOf(
      planner.context,
      kind,
      portion.map(({ id }) => id),
    )
    for (const { id, key } of portion) {
      const one = stored.get(id)
      if (one !== undefined) found.set(identityOf(kind, one.fields), key)
    }
    yield* planner.rest()
  }
  return found
}

function identityOf(kind: KindName, fields: Fields): string {
  return canonicalJson(pick(fields, [kinds[kind].nameColumn, 'type', 'channel', 'url', 'host', 'port']))
}

/** What a resource that is created may be meant to be. */
interface Existing {
  /** Ids by name. */
  readonly unmanaged: ReadonlyMap<string | null, string>
  /** Keys by identity. */
  readonly leftovers: ReadonlyMap<string, string>
}

function creation(
  planner: Planner,
  kind: KindName,
  { key }: Entry,
  after: Fields,
  { unmanaged, leftovers }: Existing,
): PlannedChange {
  const definition = kinds[kind]
  const name = String(after[definition.nameColumn] ?? key)
  const fields = newFields(definition, after, planner.references.shown)
  const earlier = leftovers.get(identityOf(kind, after))
  const other = unmanaged.get(name)
  const warning = earlier
    ? `Renamed? To keep the ${definition.noun} that was ${earlier}, add was: ${earlier}`
    : other && `A ${definition.noun} with this name exists and is not managed. To adopt it, write id: ${other}`
  const change = { action: 'CREATE', kind, key, fields, ...(warning && { warning }) } as const
  return { change, name, before: undefined, after, secretHash: hashedSecret(planner.context, kind, after) }
}

interface Compared {
  readonly kind: KindName
  readonly entry: Entry
  readonly target: Target
  readonly before: Stored
  readonly after: Fields
}

function update(planner: Planner, compared: Compared): PlannedChange {
  const { document, references, faults } = planner
  const { kind, entry, target, before } = compared
  const definition = kinds[kind]
  const after = withKept(planner, compared)
  const changed = changedNames(before.fields, after)
  for (const name of definition.fixedFields ?? []) {
    if (changed.has(name)) faults.add({ path: `${entry.path}.${name}`, message: 'cannot change: use a new key' })
  }
  const fields = fieldChanges(definition, before.fields, after, references.shown)
  // A resource that is adopted or renamed changes, even if its fields do not.
  if (target.movedFrom !== undefined) {
    const from = target.movedFrom && `${document.source}/${target.movedFrom}`
    fields.unshift({ path: 'source', before: from, after: `${document.source}/${entry.key}` })
  }
  const action = fields.length === 0 ? 'NONE' : 'UPDATE'
  const change = { action, kind, key: entry.key, id: before.id, fields } as const
  const known = planner.items[kind].withId(before.id)?.secretHash ?? null
  const secretHash = hashedSecret(planner.context, kind, compared.after) ?? known
  return { change, name: before.name, before: before.fields, after, secretHash }
}

/** The wanted fields, with what the document leaves as it is. */
function withKept({ context, items }: Planner, { kind, before, after }: Compared): Fields {
  const { keptFields = [], hashedField } = kinds[kind]
  const wanted: Record<string, unknown> = { ...after }
  for (const name of keptFields) {
    if (wanted[name] === undefined && before.fields[name] !== undefined) wanted[name] = before.fields[name]
  }
  const secret = hashedField && after[hashedField]
  if (hashedField === undefined || typeof secret !== 'string' || before.fields[hashedField] === undefined) return wanted
  if (isHashedSecret(context, kind, items[kind].withId(before.id), secret)) {
    wanted[hashedField] = before.fields[hashedField]
  }
  return wanted
}

function leftoversOf({ document, items, targets }: Planner, kind: KindName): readonly Item[] {
  const kept = new Set([...targets[kind].values()].map(({ id }) => id))
  return items[kind].all
    .filter(({ source, id }) => source === document.source && !kept.has(id))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Resources of the source that the document no longer has. */
function* findLeftovers(planner: Planner, kind: KindName): DbWork<void> {
  const { context, deletes } = planner
  const left = leftoversOf(planner, kind)
  for (let at = 0; at < left.length; at += PORTION) {
    const portion = left.slice(at, at + PORTION)
    const ids = portion.map(({ id }) => id)
    const stored = yield* storedOf(context, kind, ids)
    const days = deletes
      ? yield* kinds[kind].historyDays?.(context.caller.orgId, ids) ?? constant(new Map())
      : undefined
    yield* planner.receive(portion.map((item) => leftover(kind, item, stored.get(item.id), days)))
  }
}

/** `days` is undefined if nothing is deleted. */
function leftover(
  kind: KindName,
  { id, key }: Item,
  stored: Stored | undefined,
  days: ReadonlyMap<string, number> | undefined,
): PlannedChange {
  const historyDays = days?.get(id)
  const change = {
    action: days === undefined ? ('RELEASE' as const) : ('DELETE' as const),
    kind,
    key,
    id,
    fields: [],
    ...(historyDays !== undefined && { historyDays }),
  }
  // What is deleted must be what was shown; what is released stays as it is.
  const before = days === undefined ? undefined : stored?.fields
  return { change, name: stored?.name ?? key, before, after: undefined, secretHash: null }
}
