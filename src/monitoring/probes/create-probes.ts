import type { RunProbe } from '../../contract/probe.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createDnsClient } from '../../outbound/dns-client.ts'
import { createGuard } from '../../outbound/guard.ts'
import { type DnsTools, probeDns } from '../monitor-types/dns/probe.ts'
import { createDomainTools, type DomainTools, probeDomain } from '../monitor-types/domain/probe.ts'
import { probeHttp } from '../monitor-types/http/probe.ts'
import { probeKeyword } from '../monitor-types/keyword/probe.ts'
import { createPinger } from '../monitor-types/ping/pinger.ts'
import { type PingTools, probePing } from '../monitor-types/ping/probe.ts'
import { probePort } from '../monitor-types/port/probe.ts'
import type { Probe } from '../monitor-types/probe.ts'
import { probeSsl } from '../monitor-types/ssl/probe.ts'
import type { Sentinel } from './sentinels.ts'

/** Plain values, because they are copied to the probe threads. */
export interface ProbeSettings {
  /** Whether targets may have private addresses: `allow`, `deny` or a list of networks. */
  readonly privateTargets: string
  readonly confirmDelaysSeconds: readonly number[]
  readonly dnsServers: readonly string[]
  readonly rdapBootstrap: string
  readonly sentinels: readonly Sentinel[]
}

type Tools = PingTools & DnsTools & DomainTools

/** By monitor type. CRON monitors are not probed: their jobs report by themselves. */
const probes: Readonly<Record<string, Probe<Tools>>> = {
  HTTP: probeHttp,
  KEYWORD: probeKeyword,
  PING: probePing,
  PORT: probePort,
  DNS: probeDns,
  SSL: probeSsl,
  DOMAIN: probeDomain,
}

/** Returns a function that makes one attempt, without retries. */
export function createProbes({ privateTargets, dnsServers, rdapBootstrap }: ProbeSettings): RunProbe {
  const policy = parseAddressPolicy(privateTargets)
  const guard = createGuard({ policy })
  const tools: Tools = {
    ...createDomainTools({ guard, rdapBootstrap }),
    pinger: createPinger(),
    queryDns: createDnsClient(dnsServers, policy),
    policy,
  }
  return (type, target, signal) =>
    probes[type]?.(target, tools, signal) ??
    Promise.resolve({ outcome: 'inconclusive', reason: `${type} is not probed` })
}
