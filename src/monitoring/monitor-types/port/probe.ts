import { connect, failureOf, sampleOfError, startAttempt, successOf } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'

/** A port is up when it accepts a TCP connection; nothing is sent. */
export const probePort: Probe<NetworkTools> = async (target, { guard }, signal) => {
  const attempt = startAttempt(target, signal)
  try {
    const { host, port } = target
    if (host === null || port === null) {
      return failureOf(attempt, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host or port' })
    }
    const { socket } = await connect(attempt, host.replace(/^\[(.*)\]$/, '$1'), port, guard)
    socket.destroy()
    return successOf(attempt)
  } catch (error) {
    return sampleOfError(attempt, error)
  } finally {
    attempt.end()
  }
}
