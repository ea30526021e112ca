import { connectTcp } from '../../outbound/connect.ts'
import { failureOf, type NetworkTools, sampleOfError, startAttempt, successOf } from './attempt.ts'
import type { Probe } from './probe.ts'

/** A port is up when it accepts a TCP connection; nothing is said on it. */
export const probePort: Probe<NetworkTools> = async (target, { guard }, signal) => {
  // `finally` where other probes write `using`: it costs 2 µs here, and the whole check is to cost little more than 30.
  const visit = startAttempt(target.timeoutMs, signal)
  try {
    const { host, port } = target
    if (host === null || port === null) {
      return failureOf(visit, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host or port' })
    }
    visit.host = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const { addresses, dnsMs } = await guard.resolve(visit.host, visit.signal)
    visit.stage = 'connect'
    visit.observed.timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
    const { socket, address, connectMs } = await connectTcp(addresses, port, visit.signal)
    socket.destroy()
    visit.observed.timings.connectMs = Math.round(connectMs)
    visit.observed.ip = address
    return successOf(visit)
  } catch (error) {
    return sampleOfError(visit, error)
  } finally {
    visit[Symbol.dispose]()
  }
}
