import type { FullTarget } from '../../../src/monitoring/monitor-types/definitions.ts'
import { probeHttp } from '../../../src/monitoring/monitor-types/http/probe.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import { dnsResolver } from '../../../src/outbound/name-resolver.ts'
import { NXDOMAIN, never, startDns } from '../../outbound/fixtures.ts'
import { type ShownSample, shownSample } from '../../support/reasons.ts'
import { targetOf } from './target.ts'

export const guard = createGuard({ policy: 'allow' })

/** One HTTP check. */
export function checkHttp(parts: Partial<FullTarget>, by = guard): Promise<ShownSample> {
  return shownSample(probeHttp(targetOf(parts), { guard: by }, never))
}

/** The error of a failure; the whole sample if it is none. */
export function errorOf(sample: ShownSample): string {
  return sample.outcome === 'failure' ? sample.error : JSON.stringify(sample)
}

/** A guard whose DNS server knows one name, which is this machine. */
export async function guardKnowing(known: string, ca: readonly string[] = []) {
  const dns = await startDns((name, type) =>
    name !== known ? NXDOMAIN : type === 'A' ? { records: ['127.0.0.1'] } : {},
  )
  return {
    guard: createGuard({ policy: 'allow', ca, resolver: dnsResolver(dns.resolver) }),
    [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose](),
  }
}
