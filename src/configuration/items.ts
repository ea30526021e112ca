import type { OperationContext } from '../contract/operation.ts'
import { batch, insertBatch, sendAll, usingRows } from '../storage/batch.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import type { ConfigurationItemTable } from '../storage/schema/configuration.ts'
import { kinds } from './kinds/definitions.ts'
import type { Fields } from './kinds/fields.ts'
import { type KindName, kindNames, type Stored } from './kinds/kind.ts'

/** Which document manages a resource. */
export interface Item {
  readonly id: string
  readonly source: string
  readonly key: string
  readonly secretHash: string | null
}

/** The resources of a kind that documents manage. */
export class Items {
  readonly #byId: ReadonlyMap<string, Item>
  readonly #byKey: ReadonlyMap<string, Item>
  readonly all: readonly Item[]

  constructor(all: readonly Item[]) {
    this.all = all
    this.#byId = new Map(all.map((item) => [item.id, item]))
    this.#byKey = new Map(all.map((item) => [`${item.source}/${item.key}`, item]))
  }

  withId(id: string): Item | undefined {
    return this.#byId.get(id)
  }

  /** A resource as a document of the source names it. Undefined if nothing manages it. */
  reference(source: string, id: string): string | undefined {
    const item = this.#byId.get(id)
    return item && (item.source === source ? item.key : `${item.source}/${item.key}`)
  }

  named(source: string, key: string): Item | undefined {
    return this.#byKey.get(`${source}/${key}`)
  }
}

/** The managed resources that exist, by kind. */
export function* itemsOf(orgId: string): DbWork<Readonly<Record<KindName, Items>>> {
  const found: [KindName, Items][] = []
  for (const kind of kindNames) {
    found.push([kind, new Items(yield* execute(existing(orgId, kind)))])
  }
  return Object.fromEntries(found) as unknown as Readonly<Record<KindName, Items>>
}

const existing = (orgId: string, kind: KindName) =>
  q
    .selectFrom('configuration_items as i')
    // All tables have the columns that are used.
    .innerJoin(`${kinds[kind].table} as t` as 'monitors as t', (on) =>
      on.onRef('t.org_id', '=', 'i.org_id').onRef('t.id', '=', 'i.resource_id'),
    )
    .select(['i.resource_id as id', 'i.source', 'i.key', 'i.secret_hash as secretHash'])
    .where('i.org_id', '=', orgId)
    .where('i.kind', '=', kind)

/** The resources that a document of the source calls `monitors.shop` and so on, by that place. */
export function* idsByPlace(
  orgId: string,
  source: string,
  places: readonly string[],
): DbWork<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const kind of kindNames) {
    const keys = places.flatMap((place) => (place.startsWith(`${kind}.`) ? place.slice(kind.length + 1) : []))
    if (keys.length === 0) continue
    const rows = yield* execute(existing(orgId, kind).where('i.source', '=', source).where('i.key', 'in', keys))
    for (const { key, id } of rows) found.set(`${kind}.${key}`, id)
  }
  return found
}

export function* itemOf(orgId: string, kind: KindName, id: string): DbWork<Pick<Item, 'source' | 'key'> | null> {
  const rows = yield* execute(
    q
      .selectFrom('configuration_items')
      .select(['source', 'key'])
      .where('org_id', '=', orgId)
      .where('kind', '=', kind)
      .where('resource_id', '=', id),
  )
  return rows[0] ?? null
}

/** The stored resources of a kind with these ids, by id. */
export function* storedOf(
  { caller: { orgId }, installation }: OperationContext,
  kind: KindName,
  ids: readonly string[],
): DbWork<ReadonlyMap<string, Stored>> {
  if (ids.length === 0) return new Map()
  const stored = yield* kinds[kind].load({ orgId, installation }, ids)
  return new Map(stored.map((one) => [one.id, one]))
}

/** All resources of a kind in order of creation, with what people call them. */
export function* namesOf(
  orgId: string,
  kind: KindName,
): DbWork<readonly { readonly id: string; readonly name: string | null }[]> {
  const { table, nameColumn } = kinds[kind]
  return yield* execute(
    q
      .selectFrom(table as 'monitors')
      .select(['id', `${nameColumn as 'name'} as name`])
      .where('org_id', '=', orgId)
      .orderBy('id'),
  )
}

/** The monitors that documents of a source manage, for further columns. */
export const monitorsOfSource = (orgId: string, source: string) =>
  q
    .selectFrom('configuration_items as i')
    .innerJoin('monitors as m', (on) => on.onRef('m.org_id', '=', 'i.org_id').onRef('m.id', '=', 'i.resource_id'))
    .where('i.org_id', '=', orgId)
    .where('i.kind', '=', 'monitors')
    .where('i.source', '=', source)

type Place = Pick<ConfigurationItemTable, 'org_id' | 'kind' | 'source' | 'key'>
type Identity = Pick<ConfigurationItemTable, 'org_id' | 'kind' | 'resource_id'>

const freeKey = batch<Place>({ org_id: 'text', kind: 'text', source: 'text', key: 'text' }, (v, rows) =>
  usingRows(q.deleteFrom('configuration_items as i'), rows)
    .where('i.org_id', '=', v.org_id)
    .where('i.kind', '=', v.kind)
    .where('i.source', '=', v.source)
    .where('i.key', '=', v.key),
)

const forget = batch<Identity>({ org_id: 'text', kind: 'text', resource_id: 'text' }, (v, rows) =>
  usingRows(q.deleteFrom('configuration_items as i'), rows)
    .where('i.org_id', '=', v.org_id)
    .where('i.kind', '=', v.kind)
    .where('i.resource_id', '=', v.resource_id),
)

const insert = insertBatch('configuration_items', {
  org_id: 'text',
  kind: 'text',
  resource_id: 'text',
  source: 'text',
  key: 'text',
  secret_hash: 'text',
})

/** Records which document manages resources from now on. */
export function* saveItems(items: readonly ConfigurationItemTable[]): DbWork<void> {
  // Also the rows of resources that were deleted by hand.
  yield* sendAll(freeKey, items)
  yield* sendAll(forget, items)
  yield* sendAll(insert, items)
}

/** From now on, nothing manages the resources. */
export function* removeItems(items: readonly Identity[]): DbWork<void> {
  yield* sendAll(forget, items)
}

/** The keyed hash of the secret that is stored only as a hash; null if the resource has none. */
export function hashedSecret(
  { caller: { orgId }, installation: { sealer } }: OperationContext,
  kind: KindName,
  fields: Fields,
): string | null {
  const { hashedField } = kinds[kind]
  const secret = hashedField && fields[hashedField]
  return typeof secret === 'string' ? sealer.keyedHash(secret, contextOf(orgId, kind)) : null
}

export function isHashedSecret(
  { caller: { orgId }, installation: { sealer } }: OperationContext,
  kind: KindName,
  item: Item | undefined,
  secret: string,
): boolean {
  return typeof item?.secretHash === 'string' && sealer.isKeyedHashOf(item.secretHash, secret, contextOf(orgId, kind))
}

function contextOf(orgId: string, kind: KindName): string {
  return `configuration ${orgId} ${kind}`
}
