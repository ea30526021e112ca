import type { Static } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { EventData } from '../../events/emit.ts'
import { Json } from '../../lib/json.ts'
import type { Caller } from '../../storage/database.ts'
import { cacheable, type DbWork, derived, execute, first, q, statement } from '../../storage/query.ts'
import type { ListKeys } from '../monitor-settings/stored.ts'
import type { StateRow } from '../monitor-states/apply-user-change.ts'
import { eventOf, isSameForAll, type MonitorRow, monitorColumns, renderFor } from './render.ts'
import type { Monitor } from './schema.ts'

export const monitorsWithStates = () => q.selectFrom('monitors as m').innerJoin('monitor_states as s', 's.num', 'm.num')

interface OrgScopedId {
  orgId: string
  id: string
}

const byId = cacheable(({ orgId, id }: OrgScopedId) =>
  monitorsWithStates().select(monitorColumns).where('m.org_id', '=', orgId).where('m.id', '=', id),
)

export function* monitorOf(orgId: string, id: string): DbWork<MonitorRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('monitor')
  return row
}

/** The monitor with masked secrets, as events carry it. */
export function* maskedMonitor(orgId: string, id: string, baseUrl: string): DbWork<EventData> {
  const row = yield* monitorOf(orgId, id)
  return eventOf(row, row, baseUrl)
}

/** The monitor as this caller may see it. */
export function* monitorFor(caller: Caller, id: string, installation: Installation): DbWork<Static<typeof Monitor>> {
  return renderFor(caller, yield* monitorOf(caller.orgId, id), installation)
}

/** The same as JSON. What all callers see alike is rendered once, as long as its row is cached. */
export function* monitorJsonFor(
  caller: Caller,
  id: string,
  installation: Installation,
): DbWork<Json<Static<typeof Monitor>>> {
  const jsonOf = (row: MonitorRow) =>
    new Json<Static<typeof Monitor>>(JSON.stringify(renderFor(caller, row, installation)))
  const { row, json } = yield* derived(byId, { orgId: caller.orgId, id }, ([found]) => ({
    row: found,
    json: found !== undefined && isSameForAll(found) ? jsonOf(found) : undefined,
  }))
  if (row === undefined) throw notFound('monitor')
  return json ?? jsonOf(row)
}

const keyById = cacheable(({ orgId, id }: OrgScopedId) =>
  q.selectFrom('monitors').select(['num', 'type']).where('org_id', '=', orgId).where('id', '=', id),
)

/** The number of a monitor, by which its results are stored, and its type. */
export function* keyOf(orgId: string, id: string): DbWork<{ readonly num: number; readonly type: string }> {
  const row = yield* first(keyById, { orgId, id })
  if (row === undefined) throw notFound('monitor')
  return row
}

export function* numOf(orgId: string, id: string): DbWork<number> {
  return (yield* keyOf(orgId, id)).num
}

const nameByNum = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.selectFrom('monitors').select('name').where('org_id', '=', orgId).where('num', '=', num),
)

export function* nameOf(orgId: string, num: number): DbWork<string> {
  return (yield* first(nameByNum, { orgId, num }))?.name ?? ''
}

export type MonitorToChange = StateRow & MonitorRow & ListKeys

const toChange = (orgId: string) =>
  monitorsWithStates()
    .select(monitorColumns)
    .select(['m.num', 'm.name_key', 'm.target_key', 's.revision', 's.open_incident', 's.memory'])
    .where('m.org_id', '=', orgId)
    .forUpdate()

const forChange = statement(({ orgId, id }: OrgScopedId) => toChange(orgId).where('m.id', '=', id))

/** The monitor, locked until the end of the transaction. */
export function* monitorToChange(orgId: string, id: string): DbWork<MonitorToChange> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('monitor')
  return row
}

/** Those of these monitors that exist, in order of id, locked until the end of the transaction. */
export function* monitorsToChange(orgId: string, ids: readonly string[]): DbWork<readonly MonitorToChange[]> {
  if (ids.length === 0) return []
  return yield* execute(toChange(orgId).where('m.id', 'in', ids).orderBy('m.id'))
}

/** Well below the parameter limit of both engines. */
const IDS_AT_ONCE = 500

/** The numbers of those of these monitors that exist. They cannot be deleted until the end of the transaction. */
export function* monitorsNamed(orgId: string, ids: readonly string[]): DbWork<ReadonlyMap<string, number>> {
  const nums = new Map<string, number>()
  // Always in the same order, so that two transactions cannot deadlock.
  const wanted = [...new Set(ids)].sort()
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE) {
    const some = wanted.slice(from, from + IDS_AT_ONCE)
    const rows = yield* execute(
      q
        .selectFrom('monitors')
        .select(['id', 'num'])
        .where('org_id', '=', orgId)
        .where('id', 'in', some)
        .orderBy('id')
        .forKeyShare(),
    )
    for (const { id, num } of rows) nums.set(id, num)
  }
  return nums
}
