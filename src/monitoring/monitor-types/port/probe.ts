import { connectTcp } from '../../../outbound/connect.ts'
import { failureOf, sampleOfError, startAttempt, successOf } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'

/** A port is up when it accepts a TCP connection; nothing is sent. */
export const probePort: Probe<NetworkTools> = async (target, { guard }, signal) => {
  const attempt = startAttempt(target, signal)
  try {
    const { host, port } = target
    if (host === null || port === null) {
      return failureOf(attempt, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host or port' })
    }
    attempt.host = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const { addresses, dnsMs } = await guard.resolve(attempt.host, attempt.signal)
    attempt.stage = 'connect'
    attempt.observed.timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
    const { socket, address, connectMs } = await connectTcp(addresses, port, attempt.signal)
    socket.destroy()
    attempt.observed.timings.connectMs = Math.round(connectMs)
    attempt.observed.ip = address
    return successOf(attempt)
  } catch (error) {
    return sampleOfError(attempt, error)
  } finally {
    attempt.end()
  }
}
