import { sql } from 'kysely'
import type { Static } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import { Json } from '../../lib/json.ts'
import { all, cacheable, type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import type { Standing } from '../monitor-states/state.ts'
import { heartbeatBase } from './render.ts'
import type { Monitor } from './schema.ts'

const joined = () =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'm.num').onRef('s.org_id', '=', 'm.org_id'))

/** The monitor's JSON, put together where it is stored; `base` is the heartbeat address up to the token. */
const json = (base: string) => sql<string>`'{' || m.shown || ',"heartbeatUrl":' ||
  case when m.heartbeat_token is null then 'null' else '"' || cast(${base} as text) || m.heartbeat_token || '"' end ||
  ',' || s.shown || '}'`

interface Place {
  orgId: string
  id: string
}

const byId = cacheable(({ orgId, id, base }: Place & { base: string }) =>
  joined().select(json(base).as('json')).where('m.org_id', '=', orgId).where('m.id', '=', id),
)

/** A monitor of this organization as it is shown. */
export function* monitorOf(orgId: string, id: string, baseUrl: string): DbWork<Json<Static<typeof Monitor>>> {
  const row = yield* first(byId, { orgId, id, base: escaped(baseUrl) })
  if (row === undefined) throw notFound('monitor')
  return new Json(row.json)
}

const nameByNum = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.selectFrom('monitors').select('name').where('org_id', '=', orgId).where('num', '=', num),
)

/** What a monitor is called now. */
export function* nameOf(orgId: string, num: number): DbWork<string> {
  return (yield* first(nameByNum, { orgId, num }))?.name ?? ''
}

interface Page {
  orgId: string
  fromSeq: number
  skip: number
  limit: number
  base: string
}

const inOrder = cacheable((page: Page) =>
  joined()
    .select(json(page.base).as('json'))
    .where('m.org_id', '=', page.orgId)
    .where('m.seq', '>=', page.fromSeq)
    .orderBy('m.seq')
    .limit(page.limit)
    .offset(page.skip),
)

/** A page of monitors in order of creation, as the members of a JSON array. */
export function* monitorsInOrder(
  orgId: string,
  { fromSeq, skip }: { fromSeq: number; skip: number },
  limit: number,
  baseUrl: string,
): DbWork<string> {
  const rows = yield* all(inOrder, { orgId, fromSeq, skip, limit, base: escaped(baseUrl) })
  return rows.map((row) => row.json).join(',')
}

const escapedBases = new Map<string, string>()

/** As it stands inside a JSON string. An installation has one address, so this is worked out once. */
function escaped(baseUrl: string): string {
  let base = escapedBases.get(baseUrl)
  if (base === undefined) {
    base = JSON.stringify(heartbeatBase(baseUrl)).slice(1, -1)
    escapedBases.clear()
    escapedBases.set(baseUrl, base)
  }
  return base
}

/** What a change needs to know of a monitor. */
export interface MonitorToChange extends Standing {
  readonly num: number
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly shown: string
  readonly heartbeat_token: string | null
  readonly revision: number
  readonly open_incident: string | null
  readonly memory: string
  readonly created_at: number
  readonly updated_at: number
}

const forChange = statement(({ orgId, id }: Place) =>
  joined()
    .select(['m.num', 'm.id', 'm.seq', 'm.type', 'm.shown', 'm.heartbeat_token', 's.revision', 'm.created_at'])
    .select(['m.updated_at', 's.state', 's.last_checked_at', 's.last_status_changed_at', 's.last_response_ms'])
    .select(['s.cert_expires_at', 's.open_incident', 's.memory'])
    .where('m.org_id', '=', orgId)
    .where('m.id', '=', id)
    .forUpdate(),
)

/** The monitor, held until the end of the transaction: what is decided from it still holds when it is written. */
export function* monitorToChange(orgId: string, id: string): DbWork<MonitorToChange> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('monitor')
  return row
}

/** As many as fit one question with room to spare, on both engines. */
const IDS_AT_ONCE = 500

/**
 * The numbers of those of these monitors that there are. They stay until the end of the transaction, for whoever is
 * about to refer to them.
 */
export function* monitorsNamed(orgId: string, ids: readonly string[]): DbWork<ReadonlyMap<string, number>> {
  const nums = new Map<string, number>()
  // In one order, so that two who ask for the same cannot wait for each other.
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
