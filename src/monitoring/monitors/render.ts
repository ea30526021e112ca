import type { Static } from 'typebox'
import type { Installation } from '../../contract/operation.ts'
import { maySeeHeartbeatUrl, maySeeSecrets } from '../../contract/permissions.ts'
import type { EventData } from '../../events/emit.ts'
import { heartbeatUrlOf, openHeartbeatToken } from '../../events/heartbeat-token.ts'
import { Json } from '../../lib/json.ts'
import { MASK } from '../../lib/mask.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { Caller } from '../../storage/database.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { openSecrets } from '../monitor-settings/secrets.ts'
import { type SettingsColumns, settingsColumns, settingsIn } from '../monitor-settings/stored.ts'
import { type StateFields, stateColumns } from '../monitor-states/state.ts'
import type { Monitor, MonitorPage } from './schema.ts'

/** The columns of a monitor that the API shows. */
interface SettingsRow extends SettingsColumns {
  readonly id: string
  readonly heartbeat_token: string | null
  readonly created_at: number
  readonly updated_at: number
}

export interface MonitorRow extends SettingsRow, StateFields {
  readonly secrets: string | null
}

export const monitorColumns = [
  'm.id',
  ...settingsColumns,
  'm.secrets',
  'm.heartbeat_token',
  'm.created_at',
  'm.updated_at',
  ...stateColumns,
] as const

/** The public JSON of a monitor, with `secrets` in place of their masks. */
export function renderMonitor(
  row: SettingsRow,
  state: StateFields,
  heartbeatUrl: string | null,
  secrets: Partial<MonitorSettings> = {},
): Static<typeof Monitor> {
  return {
    id: row.id,
    ...settingsIn(row),
    ...secrets,
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
    heartbeatUrl,
    state: state.state,
    lastCheckedAt: isoTimestampOrNull(state.last_checked_at),
    lastStatusChangedAt: isoTimestampOrNull(state.last_status_changed_at),
    lastResponseMs: state.last_response_ms,
    certExpiresAt: isoTimestampOrNull(state.cert_expires_at),
  }
}

/** Whether all callers see the same of the monitor. */
export function isSameForAll({ secrets, heartbeat_token: token }: MonitorRow): boolean {
  return secrets === null && token === null
}

/** The monitor as this caller may see it. */
export function renderFor(caller: Caller, row: MonitorRow, { baseUrl, sealer }: Installation): Static<typeof Monitor> {
  const owner = { orgId: caller.orgId, id: row.id }
  const sealed = row.heartbeat_token
  const token = sealed && (maySeeHeartbeatUrl(caller) ? openHeartbeatToken(sealed, owner, sealer) : MASK)
  const secrets = openSecrets(maySeeSecrets(caller) ? row.secrets : null, owner, sealer)
  return renderMonitor(row, row, token && heartbeatUrlOf(baseUrl, token), secrets)
}

/** The monitor with masked secrets, as events carry it, with the names of the fields that changed. */
export function eventOf(row: SettingsRow, state: StateFields, baseUrl: string, changed?: readonly string[]): EventData {
  const token = row.heartbeat_token
  const monitor = renderMonitor(row, state, token && heartbeatUrlOf(baseUrl, MASK))
  return { json: JSON.stringify({ ...monitor, changed }), heartbeatToken: token }
}

/** Longer pages are sent in parts: those of monitors with large request bodies have up to 60 MB. */
const MAX_JOINED_CHARS = 1_000_000

export function pageJson(
  monitors: readonly string[],
  { limit, offset, total }: Static<typeof MonitorPage>['pagination'],
): Json<Static<typeof MonitorPage>> {
  const [before, after] = ['{"data":[', `],"pagination":{"limit":${limit},"offset":${offset},"total":${total}}}`]
  let chars = 0
  for (const { length } of monitors) chars += length
  if (chars <= MAX_JOINED_CHARS) return new Json(`${before}${monitors.join(',')}${after}`)
  const separated = monitors.flatMap((monitor, i) => (i === 0 ? [monitor] : [',', monitor]))
  return new Json([before, ...separated, after])
}
