import { isoTimestamp } from '../../lib/timestamp.ts'

export const monitorStates = ['PENDING', 'UP', 'DEGRADED', 'DOWN', 'PAUSED'] as const
export type MonitorState = (typeof monitorStates)[number]

/** The columns of a state row that the API shows. */
export interface StateFields {
  readonly state: MonitorState
  readonly last_checked_at: number | null
  readonly last_status_changed_at: number | null
  readonly last_response_ms: number | null
  readonly cert_expires_at: number | null
}

/** The state of a monitor that was never checked. */
export const newState: StateFields = {
  state: 'PENDING',
  last_checked_at: null,
  last_status_changed_at: null,
  last_response_ms: null,
  cert_expires_at: null,
}

/** Members of the monitor's JSON object that change with every check, as the state row stores them. */
export function renderState(fields: StateFields): string {
  const { state, last_checked_at: checkedAt, last_status_changed_at: changedAt, last_response_ms: ms } = fields
  return (
    `"state":"${state}","lastCheckedAt":${quoted(checkedAt)},"lastStatusChangedAt":${quoted(changedAt)},` +
    `"lastResponseMs":${ms},"certExpiresAt":${quoted(fields.cert_expires_at)}`
  )
}

function quoted(ms: number | null): string {
  return ms === null ? 'null' : `"${isoTimestamp(ms)}"`
}
