import type { Confirmation } from '../../contract/check-options.ts'
import type { Sample } from '../../contract/probe.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { PeerCertificate } from '../../outbound/errors.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { definitions } from '../monitor-types/definitions.ts'

/** What a verdict depends on besides the sample and the rules. */
export interface JudgeInput {
  readonly state: MonitorState
  /** Response times of the latest successes, oldest first; at most `degradedSamples`. */
  readonly samples: readonly number[]
  readonly hasIncident: boolean
  /** Successes in a row that did not end the outage yet. */
  readonly recoveries: number
  /** Fingerprint of the certificate or registration whose expiry was already announced. */
  readonly announcedExpiry: string | null
}

export type Rules = Pick<
  MonitorSettings,
  'type' | 'degradedThresholdMs' | 'degradedThresholdMode' | 'degradedSamples' | 'sslExpiryThresholdDays'
> &
  Partial<Pick<Confirmation, 'recoverySuccesses'>>

export type ConclusiveSample = Exclude<Sample, { outcome: 'inconclusive' }>

/** Why a monitor is DEGRADED. */
type DegradedBy = 'response time' | 'assertion' | 'expiry'

export interface Verdict {
  readonly state: Exclude<MonitorState, 'PENDING' | 'PAUSED'>
  /** Empty unless DEGRADED. */
  readonly degradedBy: readonly DegradedBy[]
  readonly samples: readonly number[]
  readonly incident: 'open' | 'resolve' | 'continue' | 'none'
  /** Successes in a row that did not end the outage yet. */
  readonly recoveries: number
  /** A certificate or registration that expires within the threshold and was not announced yet. */
  readonly expiring: PeerCertificate | null
}

/** The one place where a sample becomes a state. Never called for a paused monitor. */
export function judge(
  prior: JudgeInput,
  sample: ConclusiveSample,
  rules: Rules,
  now: number,
  inMaintenance: boolean,
): Verdict {
  if (sample.outcome === 'failure') {
    const incident = prior.hasIncident ? 'continue' : inMaintenance ? 'none' : 'open'
    return { state: 'DOWN', degradedBy: [], samples: prior.samples, incident, recoveries: 0, expiring: null }
  }
  const samples = latestSamples(prior.samples, sample.responseMs, rules)
  const { recoverySuccesses = 1 } = rules
  const isOutage = prior.state === 'DOWN' || prior.hasIncident
  if (isOutage && prior.recoveries + 1 < recoverySuccesses) {
    const incident = prior.hasIncident ? 'continue' : 'none'
    return { state: 'DOWN', degradedBy: [], samples, incident, recoveries: prior.recoveries + 1, expiring: null }
  }
  const { certificate } = sample
  const expiring = certificate !== undefined && isExpiring(certificate, rules, now) ? certificate : null
  const degradedBy: DegradedBy[] = [
    ...(isSlow(samples, rules) ? (['response time'] as const) : []),
    ...(sample.degraded !== undefined ? (['assertion'] as const) : []),
    ...(expiring !== null && definitions[rules.type].expiry?.isDegraded ? (['expiry'] as const) : []),
  ]
  return {
    state: degradedBy.length > 0 ? 'DEGRADED' : 'UP',
    degradedBy,
    samples,
    incident: prior.hasIncident ? 'resolve' : 'none',
    recoveries: 0,
    expiring: expiring?.fingerprint === prior.announcedExpiry ? null : expiring,
  }
}

function latestSamples(samples: readonly number[], responseMs: number | undefined, rules: Rules): readonly number[] {
  if (rules.degradedThresholdMs === null || responseMs === undefined) return []
  return [...samples, Math.round(responseMs)].slice(-rules.degradedSamples)
}

function isSlow(samples: readonly number[], rules: Rules): boolean {
  const { degradedThresholdMs: threshold, degradedThresholdMode: mode, degradedSamples: wanted } = rules
  if (threshold === null || samples.length < wanted) return false
  if (mode === 'LAST') return samples.every((ms) => ms > threshold)
  return percentile95(samples) > threshold
}

/** By nearest rank. */
export function percentile95(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.ceil(0.95 * sorted.length) - 1] as number
}

function isExpiring({ expiresAt }: PeerCertificate, { sslExpiryThresholdDays }: Rules, now: number): boolean {
  return expiresAt - now <= sslExpiryThresholdDays * DAY_MS
}
