import { useSyncExternalStore } from 'preact/compat'

/** State of the event stream. `since`: when the shown data was last known to be current. */
export interface ConnectionState {
  readonly isLive: boolean
  readonly since: Date
}

let state: ConnectionState = { isLive: true, since: new Date() }
const listeners = new Set<() => void>()

/** Losing the connection keeps the time of the first loss. */
export function setLive(isLive: boolean): void {
  if (!isLive && !state.isLive) return
  state = { isLive, since: new Date() }
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(subscribe, () => state)
}
