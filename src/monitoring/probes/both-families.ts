import type { ProbeTarget, Sample } from '../../contract/probe.ts'
import { reason } from '../../reasons/reason.ts'

export type ProbeOnce = (target: ProbeTarget, signal: AbortSignal) => Promise<Sample>

/** Probes over IPv4 and IPv6 at the same time; the worse sample counts. */
export async function probeBothFamilies(probe: ProbeOnce, target: ProbeTarget, signal: AbortSignal): Promise<Sample> {
  const over = (addressFamily: 'IPV4' | 'IPV6') =>
    probe({ ...target, request: { ...target.request, addressFamily } }, signal)
  const [ipv4, ipv6] = await Promise.all([over('IPV4'), over('IPV6')])
  return worseOf(ipv4, ipv6)
}

/** A failure is worse than an unknown result, which is worse than a success; of two successes a degraded or the slower one counts. */
export function worseOf(ipv4: Sample, ipv6: Sample): Sample {
  if (ipv4.outcome === 'failure' && ipv6.outcome === 'failure') {
    return { ...ipv4, error: reason('both_families_fail', { cause: ipv4.error }) }
  }
  return describe(ipv4, 'ipv4', ipv6) ?? describe(ipv6, 'ipv6', ipv4) ?? slowerOf(ipv4, ipv6)
}

/** The sample with the other family named, if it counts. */
function describe(sample: Sample, family: 'ipv4' | 'ipv6', other: Sample): Sample | null {
  if (sample.outcome === 'failure') {
    const code = other.outcome === 'success' ? (`${family}_fails` as const) : (`${family}_fails_only` as const)
    return { ...sample, error: reason(code, { cause: sample.error }) }
  }
  if (sample.outcome === 'inconclusive' && other.outcome !== 'failure') {
    return { ...sample, reason: reason(`${family}_unchecked`, { cause: sample.reason }) }
  }
  return null
}

function slowerOf(ipv4: Sample, ipv6: Sample): Sample {
  if (ipv4.outcome !== 'success' || ipv6.outcome !== 'success') return ipv4
  if ((ipv4.degraded === undefined) !== (ipv6.degraded === undefined)) return ipv4.degraded === undefined ? ipv6 : ipv4
  return (ipv6.responseMs ?? 0) > (ipv4.responseMs ?? 0) ? ipv6 : ipv4
}
