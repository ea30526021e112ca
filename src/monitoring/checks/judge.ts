import type { Certificate, Sample } from '../../contract/probe.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import type { MonitorState } from '../monitor-states/state.ts'

/** What a judgement rests on besides the sample: where the monitor stood, and what is remembered of it. */
export interface Before {
  readonly state: MonitorState
  /** Response times of the latest successes, oldest first; no more than the rules look at. */
  readonly samples: readonly number[]
  readonly hasIncident: boolean
  /** The certificate (or registration) whose expiry was already announced. */
  readonly announced: string | null
}

export type Rules = Pick<
  MonitorSettings,
  'type' | 'degradedThresholdMs' | 'degradedThresholdMode' | 'degradedSamples' | 'sslExpiryThresholdDays'
>

export type Conclusive = Exclude<Sample, { outcome: 'inconclusive' }>

export interface Verdict {
  readonly state: Exclude<MonitorState, 'PENDING' | 'PAUSED'>
  readonly samples: readonly number[]
  readonly incident: 'open' | 'resolve' | 'continue' | 'none'
  /** A certificate or registration that has come within its threshold, for the first time. */
  readonly expiring: Certificate | null
}

/** The one place where a sample becomes a state. A monitor that is paused is never brought here. */
export function judge(before: Before, sample: Conclusive, rules: Rules, now: number, inMaintenance: boolean): Verdict {
  if (sample.outcome === 'failure') {
    const incident = before.hasIncident ? 'continue' : inMaintenance ? 'none' : 'open'
    return { state: 'DOWN', samples: before.samples, incident, expiring: null }
  }
  const samples = remembered(before.samples, sample.responseMs, rules)
  const { certificate } = sample
  const expiring = certificate !== undefined && isExpiring(certificate, rules, now) ? certificate : null
  const slow = isSlow(samples, rules)
  const judgedByExpiry = rules.type === 'SSL' || rules.type === 'DOMAIN'
  return {
    state: slow || (expiring !== null && judgedByExpiry) ? 'DEGRADED' : 'UP',
    samples,
    incident: before.hasIncident ? 'resolve' : 'none',
    expiring: expiring?.fingerprint === before.announced ? null : expiring,
  }
}

const none: readonly number[] = []

function remembered(samples: readonly number[], responseMs: number | undefined, rules: Rules): readonly number[] {
  if (rules.degradedThresholdMs === null || responseMs === undefined) return none
  return [...samples, Math.round(responseMs)].slice(-rules.degradedSamples)
}

function isSlow(samples: readonly number[], rules: Rules): boolean {
  const { degradedThresholdMs: threshold, degradedThresholdMode: mode, degradedSamples: wanted } = rules
  if (threshold === null || samples.length < wanted) return false
  if (mode === 'LAST') return samples.every((ms) => ms > threshold)
  return nearestRank(samples, 0.95) > threshold
}

function nearestRank(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] as number
}

function isExpiring({ expiresAt }: Certificate, { sslExpiryThresholdDays }: Rules, now: number): boolean {
  return expiresAt - now <= sslExpiryThresholdDays * DAY_MS
}
