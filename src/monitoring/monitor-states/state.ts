import { isoTimestamp } from '../../lib/timestamp.ts'

export const monitorStates = ['PENDING', 'UP', 'DEGRADED', 'DOWN', 'PAUSED'] as const
export type MonitorState = (typeof monitorStates)[number]

/** The columns of a state row that the API shows. */
export interface Standing {
  readonly state: MonitorState
  readonly last_checked_at: number | null
  readonly last_status_changed_at: number | null
  readonly last_response_ms: number | null
  readonly cert_expires_at: number | null
}

/** Members of the monitor's JSON object that change with every check, as the state row stores them. */
export function standingText(standing: Standing): string {
  const { state, last_checked_at: checked, last_status_changed_at: changed, last_response_ms: ms } = standing
  return (
    `"state":"${state}","lastCheckedAt":${quoted(checked)},"lastStatusChangedAt":${quoted(changed)},` +
    `"lastResponseMs":${ms},"certExpiresAt":${quoted(standing.cert_expires_at)}`
  )
}

function quoted(ms: number | null): string {
  return ms === null ? 'null' : `"${isoTimestamp(ms)}"`
}
