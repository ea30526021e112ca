import type { ProbeTarget, RunProbe, Sample } from '../../contract/probe.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createGuard } from '../../outbound/guard.ts'
import { reason } from '../../reasons/reason.ts'
import { definitions } from '../monitor-types/definitions.ts'
import { isMailCheckRefused } from '../monitor-types/mail-ports.ts'
import { type ProbeOnce, probeBothFamilies } from './both-families.ts'

/** Plain values, because they are copied to the probe threads. */
export interface ProbeSettings {
  /** Whether targets may have private addresses: `allow`, `deny` or a list of networks. */
  readonly privateTargets: string
  readonly confirmDelaysSeconds: readonly number[]
  readonly dnsServers: readonly string[]
  readonly rdapBootstrap: string
}

/**
 * Messages between the main thread and a probe thread: JSON arrays of jobs one way and of results the other way, because copying one
 * string costs less than structured cloning of many small objects. An array of job ids cancels those jobs.
 */
export interface ProbeJob {
  readonly id: number
  readonly type: string
  readonly target: ProbeTarget
}

export type ProbeResult = readonly [id: number, sample: Sample]

/** Returns a function that makes one attempt, without retries. */
export function createProbes({ privateTargets, dnsServers, rdapBootstrap }: ProbeSettings): RunProbe {
  const policy = parseAddressPolicy(privateTargets)
  const network = { guard: createGuard({ policy }), policy, dnsServers, rdapBootstrap }
  const probes = new Map(
    Object.entries(definitions).map(([type, { createProbe }]) => [
      type,
      createProbe?.(network) as ProbeOnce | undefined,
    ]),
  )
  return (type, target, signal) => {
    if (isMailCheckRefused(type, target, policy)) {
      return Promise.resolve({ outcome: 'inconclusive', reason: reason('check_mail_ports') })
    }
    const probe = probes.get(type)
    if (probe === undefined) return Promise.resolve({ outcome: 'inconclusive', reason: reason('not_probed', { type }) })
    const isBoth = target.request?.addressFamily === 'BOTH'
    return isBoth ? probeBothFamilies(probe, target, signal) : probe(target, signal)
  }
}
