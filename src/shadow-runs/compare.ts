import type { Confirmation } from '../contract/check-options.ts'
import { type OurState, POLL_MS, type TheirState } from './verdicts.ts'

/** Why the two disagree. */
export const reasons = [
  'ONE_FAILED_TRY',
  'ONLY_THERE',
  'ONLY_HERE',
  'SHORT_HERE',
  'CERTIFICATE',
  'ASSERTION',
  'LATER_HERE',
  'EARLIER_HERE',
  'HEARTBEAT',
  'IN_DOUBT',
  'MAINTENANCE_THERE',
  'MAINTENANCE_HERE',
  'PAUSED_THERE',
  'PAUSED_HERE',
  'NOT_RUNNING',
  'ALL_DOWN_THERE',
] as const
type Reason = (typeof reasons)[number]

/** What both said about a monitor for a while. */
export interface Span {
  readonly fromAt: number
  /** Null if it still is so. */
  readonly untilAt: number | null
  readonly theirs: TheirState
  readonly ours: OurState
}

/** An incident of Pharos. */
export interface SeenIncident {
  readonly id: string
  readonly startedAt: number
  readonly resolvedAt: number | null
  readonly causeCode: string
}

export interface Rules {
  /** How much earlier or later one of them may notice a change. */
  readonly toleranceMs: number
  readonly isHeartbeat: boolean
}

export interface Disagreement extends Span {
  readonly reason: Reason
  readonly incidentId: string | null
}

interface Timing {
  readonly type: string
  readonly intervalSeconds: number
  readonly graceSeconds: number
  readonly confirmation: Confirmation | undefined
  /** Of the installation. */
  readonly confirmDelaysSeconds: readonly number[]
}

/** An importer takes the interval and the repeats over, so both tools have the same ones: each may be at any point of its interval. */
export function rulesOf({ type, intervalSeconds, graceSeconds, confirmation, confirmDelaysSeconds }: Timing): Rules {
  const { retryDelaysSeconds: delays = confirmDelaysSeconds, recoverySuccesses = 1 } = confirmation ?? {}
  const { failureRetries = delays.length } = confirmation ?? {}
  const isHeartbeat = type === 'CRON'
  let seconds = isHeartbeat ? graceSeconds : (1 + recoverySuccesses) * intervalSeconds
  for (let i = 0; i < failureRetries; i += 1) seconds += delays[i] ?? delays.at(-1) ?? 0
  return { toleranceMs: seconds * 1000 + 2 * POLL_MS, isHeartbeat }
}

/** The disagreements about one monitor. Its spans are in order of time and do not overlap, and neither do its incidents. */
export function compareMonitor(
  given: readonly Span[],
  incidents: readonly SeenIncident[],
  rules: Rules,
  now: number,
): readonly Disagreement[] {
  const spans = merged(given)
  let next = 0
  return spans.flatMap((span, i) => {
    while (next < incidents.length && isBefore(incidents[next] as SeenIncident, span)) next += 1
    const candidate = incidents[next]
    const incident = candidate && candidate.startedAt <= (span.untilAt ?? now) ? candidate : undefined
    const around = { before: agreed(spans[i - 1]), after: agreed(spans[i + 1]) }
    const reason = reasonOf(span, around, incident, rules, (span.untilAt ?? now) - span.fromAt)
    return reason === undefined ? [] : [{ ...span, reason, incidentId: incident?.id ?? null }]
  })
}

/** The times when the other tool gave no verdicts. */
export function compareTool(spans: readonly Span[]): readonly Disagreement[] {
  return merged(spans).flatMap((span) => {
    if (span.theirs !== 'SILENT' && span.theirs !== 'ALL_DOWN') return []
    return [{ ...span, reason: span.theirs === 'SILENT' ? 'NOT_RUNNING' : 'ALL_DOWN_THERE', incidentId: null }]
  })
}

/** Whether both have a verdict that can be compared. */
export function isCompared({ theirs, ours }: Pick<Span, 'theirs' | 'ours'>): boolean {
  return (theirs === 'UP' || theirs === 'DOWN') && (ours === 'UP' || ours === 'DOWN')
}

/** Whether a span alone can be a disagreement, whatever is before and after it. */
export function mayDisagree({ theirs, ours }: Pick<Span, 'theirs' | 'ours'>): boolean {
  return theirs !== ours && theirs !== 'PENDING' && ours !== 'PENDING' && theirs !== 'SILENT' && theirs !== 'ALL_DOWN'
}

interface Around {
  /** What both said before and after; undefined if they did not say the same. */
  readonly before: 'UP' | 'DOWN' | undefined
  readonly after: 'UP' | 'DOWN' | undefined
}

function reasonOf(
  span: Span,
  around: Around,
  incident: SeenIncident | undefined,
  rules: Rules,
  durationMs: number,
): Reason | undefined {
  const { theirs, ours } = span
  if (!mayDisagree(span)) return undefined
  const isWithin = durationMs <= rules.toleranceMs
  const setting = settingReason(theirs, ours)
  if (setting !== undefined) return isWithin ? undefined : setting
  if (ours === 'UNKNOWN') return theirs === 'DOWN' ? 'IN_DOUBT' : undefined
  const { before, after } = around
  // One of them followed the other.
  const isShift = before !== undefined && after !== undefined && before !== after
  if (isShift || before === 'DOWN') {
    if (isWithin) return undefined
    return ours === (before as string) ? 'LATER_HERE' : 'EARLIER_HERE'
  }
  // The other one may follow yet.
  if (span.untilAt === null && isWithin) return undefined
  if (after === 'DOWN') return isWithin ? undefined : ours === 'DOWN' ? 'EARLIER_HERE' : 'LATER_HERE'
  if (rules.isHeartbeat) return 'HEARTBEAT'
  if (theirs === 'DOWN') return isWithin ? 'ONE_FAILED_TRY' : 'ONLY_THERE'
  return (incident && reasonsByCause[incident.causeCode]) ?? (isWithin ? 'SHORT_HERE' : 'ONLY_HERE')
}

const reasonsByCause: Readonly<Record<string, Reason>> = {
  CERTIFICATE: 'CERTIFICATE',
  TLS: 'CERTIFICATE',
  KEYWORD: 'ASSERTION',
  DNS_MISMATCH: 'ASSERTION',
}

/** The two differ because of what people have set. */
function settingReason(theirs: TheirState, ours: OurState): Reason | undefined {
  if (theirs === 'PAUSED') return 'PAUSED_THERE'
  if (ours === 'PAUSED') return 'PAUSED_HERE'
  if (theirs === 'MAINTENANCE') return 'MAINTENANCE_THERE'
  return ours === 'MAINTENANCE' ? 'MAINTENANCE_HERE' : undefined
}

function agreed(span: Span | undefined): 'UP' | 'DOWN' | undefined {
  if (span === undefined || span.theirs !== span.ours) return undefined
  return span.theirs === 'UP' || span.theirs === 'DOWN' ? span.theirs : undefined
}

/** A poll may be up to POLL_MS later than the change that it sees. */
function isBefore({ resolvedAt }: SeenIncident, { fromAt }: Span): boolean {
  return resolvedAt !== null && resolvedAt < fromAt - POLL_MS
}

/** Joins spans with the same verdicts, between which Pharos was not running. */
function merged(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last?.theirs === span.theirs && last.ours === span.ours)
      joined[joined.length - 1] = { ...last, untilAt: span.untilAt }
    else joined.push(span)
  }
  return joined
}
