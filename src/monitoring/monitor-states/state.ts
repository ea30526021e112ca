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

export const stateColumns = [
  's.state',
  's.last_checked_at',
  's.last_status_changed_at',
  's.last_response_ms',
  's.cert_expires_at',
] as const

/** The state of a monitor that was never checked. */
export const newState: StateFields = {
  state: 'PENDING',
  last_checked_at: null,
  last_status_changed_at: null,
  last_response_ms: null,
  cert_expires_at: null,
}
