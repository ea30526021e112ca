import { sql } from 'kysely'
import type { Static } from 'typebox'
import { notFound } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { maySeeHeartbeatUrl, maySeeSecrets } from '../../contract/permissions.ts'
import type { EventData } from '../../events/emit.ts'
import { heartbeatUrlOf, openHeartbeatToken } from '../../events/heartbeat-token.ts'
import { Json } from '../../lib/json.ts'
import type { Caller } from '../../storage/database.ts'
import { cacheable, type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import { openSecrets } from '../monitor-settings/secrets.ts'
import type { StateRow } from '../monitor-states/apply-user-change.ts'
import { maskedHeartbeatUrl } from './render.ts'
import type { Monitor } from './schema.ts'

export const monitorsWithStates = () =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'm.num').onRef('s.org_id', '=', 'm.org_id'))

/**
 * The monitor's JSON, concatenated by the database from what the two rows store rendered, so that a read decodes one
 * column instead of thirty-three. Secrets are masked; `maskedUrl` is the masked heartbeat URL of every CRON monitor, as JSON.
 */
export const monitorText = (maskedUrl: string) => sql<string>`'{' || m.rendered || ',"heartbeatUrl":' ||
  case when m.heartbeat_token is null then 'null' else cast(${maskedUrl} as text) end || ',' || s.rendered || '}'`

interface OrgScopedId {
  orgId: string
  id: string
}

const byId = cacheable(({ orgId, id, maskedUrl }: OrgScopedId & { maskedUrl: string }) =>
  monitorsWithStates()
    .select(['m.secrets', 'm.heartbeat_token', monitorText(maskedUrl).as('json')])
    .where('m.org_id', '=', orgId)
    .where('m.id', '=', id),
)

export interface MonitorText {
  readonly json: string
  readonly secrets: string | null
  readonly heartbeat_token: string | null
}

function* textOf(orgId: string, id: string, baseUrl: string): DbWork<MonitorText> {
  const row = yield* first(byId, { orgId, id, maskedUrl: maskedUrlJson(baseUrl) })
  if (row === undefined) throw notFound('monitor')
  return row
}

/** The monitor with masked secrets, as events carry it. */
export function* maskedMonitor(orgId: string, id: string, baseUrl: string): DbWork<EventData> {
  const { json, heartbeat_token: heartbeatToken } = yield* textOf(orgId, id, baseUrl)
  return { json, heartbeatToken }
}

/** The monitor as this caller may see it. */
export function* monitorFor(
  caller: Caller,
  id: string,
  installation: Installation,
): DbWork<Json<Static<typeof Monitor>>> {
  const text = yield* textOf(caller.orgId, id, installation.baseUrl)
  return new Json(asSeenBy(caller, text, installation))
}

/** Monitors without secrets, which are most, are returned as the database concatenated them. */
export function asSeenBy(
  caller: Caller,
  { json, secrets, heartbeat_token: token }: MonitorText,
  { baseUrl, sealer }: Installation,
): string {
  const shownToken = maySeeHeartbeatUrl(caller) ? token : null
  const shownSecrets = maySeeSecrets(caller) ? secrets : null
  if (shownToken === null && shownSecrets === null) return json
  const monitor = JSON.parse(json)
  const owner = { orgId: caller.orgId, id: monitor.id }
  if (shownToken !== null) {
    monitor.heartbeatUrl = heartbeatUrlOf(baseUrl, openHeartbeatToken(shownToken, owner, sealer))
  }
  return JSON.stringify({ ...monitor, ...openSecrets(shownSecrets, owner, sealer) })
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

export function maskedUrlJson(baseUrl: string): string {
  return JSON.stringify(maskedHeartbeatUrl(baseUrl))
}

export interface MonitorToChange extends StateRow {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly rendered: string
  readonly secrets: string | null
  readonly heartbeat_token: string | null
  readonly created_at: number
  readonly updated_at: number
}

const toChange = (orgId: string) =>
  monitorsWithStates()
    .select(['m.num', 'm.id', 'm.seq', 'm.type', 'm.rendered', 'm.secrets', 'm.heartbeat_token', 's.revision'])
    .select([
      'm.created_at',
      'm.updated_at',
      's.state',
      's.last_checked_at',
      's.last_status_changed_at',
      's.last_response_ms',
    ])
    .select(['s.cert_expires_at', 's.open_incident', 's.memory'])
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
