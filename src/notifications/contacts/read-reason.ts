import type { Reason } from '../../reasons/reason.ts'

/** What a reason says in values. */
interface ReasonFacts {
  /** What was compared with the limit, and up to three response times, the latest last. */
  readonly slow?: {
    readonly ms: number
    readonly isP95: boolean
    readonly limitMs: number
    readonly latestMs: readonly number[]
  }
  /** The assertions that failed. */
  readonly failed?: Reason
  readonly expiresAt?: number
  readonly records?: readonly string[]
  readonly cutOff?: { readonly targets: number; readonly since: number }
}

/** Empty for a reason that is only a sentence. */
export function factsIn(reason: Reason | null): ReasonFacts {
  if (reason === null) return {}
  // biome-ignore lint/suspicious/noExplicitAny: the codes decide what the values are
  const values = reason.values as any
  switch (reason.code) {
    case 'slow_last':
      return { slow: { ms: values.ms, isP95: false, limitMs: values.limit, latestMs: [values.ms] } }
    case 'slow_responses': {
      const latestMs = [...values.others.map(Number), values.ms]
      return { slow: { ms: values.ms, isP95: false, limitMs: values.limit, latestMs } }
    }
    case 'slow_p95':
      return { slow: { ms: values.ms, isP95: true, limitMs: values.limit, latestMs: [] } }
    case 'slow_and':
      return { ...factsIn(values.slow), failed: values.cause }
    case 'expired':
    case 'expires_today':
    case 'expires':
      return { expiresAt: Date.parse(values.at) }
    case 'records_now':
      return { records: values.records }
    case 'network_down':
      return { cutOff: { targets: values.count, since: Date.parse(values.since) } }
    default:
      return {}
  }
}
