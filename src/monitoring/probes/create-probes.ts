import type { RunProbe } from '../../contract/probe.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createDnsClient } from '../../outbound/dns-client.ts'
import { createGuard } from '../../outbound/guard.ts'
import { type DnsTools, probeDns } from './dns.ts'
import { createDomainTools, type DomainTools, probeDomain } from './domain.ts'
import { probeHttp } from './http.ts'
import { probeKeyword } from './keyword.ts'
import { createPinger } from './ping/pinger.ts'
import { type PingTools, probePing } from './ping.ts'
import { probePort } from './port.ts'
import type { Probe } from './probe.ts'
import type { Sentinel } from './sentinels.ts'
import { probeSsl } from './ssl.ts'

/** What probing depends on; plain values, for they cross over to the threads that probe. */
export interface ProbeSettings {
  /** `allow`, `deny` or networks: may a target be at a private address? */
  readonly privateTargets: string
  readonly confirmDelaysSeconds: readonly number[]
  readonly dnsServers: readonly string[]
  readonly rdapBootstrap: string
  /** Hosts that tell a target that is down from a network that is. */
  readonly sentinels: readonly Sentinel[]
}

type Tools = PingTools & DnsTools & DomainTools

/** Every way there is to look at a target. A CRON monitor is not looked at: it reports. */
const probes: Readonly<Record<string, Probe<Tools>>> = {
  HTTP: probeHttp,
  KEYWORD: probeKeyword,
  PING: probePing,
  PORT: probePort,
  DNS: probeDns,
  SSL: probeSsl,
  DOMAIN: probeDomain,
}

/** The probes with their tools: one look, one try. */
export function createProbes({ privateTargets, dnsServers, rdapBootstrap }: ProbeSettings): RunProbe {
  const guard = createGuard({ policy: parseAddressPolicy(privateTargets) })
  const tools: Tools = {
    ...createDomainTools({ guard, rdapBootstrap }),
    pinger: createPinger(),
    askDns: createDnsClient(dnsServers),
  }
  return (type, target, signal) =>
    probes[type]?.(target, tools, signal) ??
    Promise.resolve({ outcome: 'inconclusive', reason: `${type} is not probed` })
}
