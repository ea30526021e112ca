import { connectTcp } from '../../outbound/connect.ts'
import type { Probe } from './probe.ts'
import { failed, type NetworkTools, startVisit, stopped, succeeded } from './tools.ts'

/** A port is up when it accepts a TCP connection; nothing is said on it. */
export const probePort: Probe<NetworkTools> = async (target, { guard }, signal) => {
  // `finally` where other probes write `using`: it costs 2 µs here, and the whole check is to cost little more than 30.
  const visit = startVisit(target.timeoutMs, signal)
  try {
    const { host, port } = target
    if (host === null || port === null) {
      return failed(visit, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host or port' })
    }
    visit.host = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const { addresses, dnsMs } = await guard.resolve(visit.host, visit.signal)
    visit.stage = 'connect'
    visit.seen.timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
    const { socket, address, connectMs } = await connectTcp(addresses, port, visit.signal)
    socket.destroy()
    visit.seen.timings.connectMs = Math.round(connectMs)
    visit.seen.ip = address
    return succeeded(visit)
  } catch (error) {
    return stopped(visit, error)
  } finally {
    visit[Symbol.dispose]()
  }
}
