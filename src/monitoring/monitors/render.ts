import type { Static } from 'typebox'
import { Json } from '../../lib/json.ts'
import { momentText } from '../../lib/moment.ts'
import type { Monitor, MonitorPage, MonitorSettings, MonitorState } from './schema.ts'

/**
 * A monitor is stored as the JSON it leaves as, in two parts: what the user set, and what the checks found. The
 * database joins them, so that a read decodes one column instead of thirty-three; whoever writes a part makes it here.
 */
export interface Identity {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Members of the JSON object that change when the user changes them. */
export function settingsText({ id, createdAt, updatedAt }: Identity, settings: MonitorSettings): string {
  const { name, type, ...rest } = settings
  return members({ id, name, type, ...rest, createdAt: moment(createdAt), updatedAt: moment(updatedAt) })
}

/** What the checks know of a monitor. */
export interface Standing {
  readonly state: MonitorState
  readonly last_checked_at: number | null
  readonly last_status_changed_at: number | null
  readonly last_response_ms: number | null
  readonly cert_expires_at: number | null
}

/** Members of the JSON object that change with every check. */
export function standingText(standing: Standing): string {
  const { state, last_checked_at: checked, last_status_changed_at: changed, last_response_ms: ms } = standing
  return (
    `"state":"${state}","lastCheckedAt":${quoted(checked)},"lastStatusChangedAt":${quoted(changed)},` +
    `"lastResponseMs":${ms},"certExpiresAt":${quoted(standing.cert_expires_at)}`
  )
}

/** The settings out of a stored part, as a creation's body was. */
export function settingsIn(shown: string): MonitorSettings {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = JSON.parse(`{${shown}}`)
  return settings
}

/** The same text that the database makes of the parts. */
export function monitorJson(
  settings: string,
  heartbeatUrl: string | null,
  standing: string,
): Json<Static<typeof Monitor>> {
  return new Json(`{${settings},"heartbeatUrl":${JSON.stringify(heartbeatUrl)},${standing}}`)
}

export function pageJson(
  data: string,
  pagination: Static<typeof MonitorPage>['pagination'],
): Json<Static<typeof MonitorPage>> {
  const { limit, offset, total } = pagination
  return new Json(`{"data":[${data}],"pagination":{"limit":${limit},"offset":${offset},"total":${total}}}`)
}

/** What a CRON monitor's token is put behind. */
export function heartbeatBase(baseUrl: string): string {
  return `${baseUrl}/heartbeat/`
}

function members(of: object): string {
  return JSON.stringify(of).slice(1, -1)
}

function quoted(ms: number | null): string {
  return ms === null ? 'null' : `"${momentText(ms)}"`
}

function moment(ms: number | null): string | null {
  return ms === null ? null : momentText(ms)
}
