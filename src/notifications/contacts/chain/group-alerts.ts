import type { Flapping } from '../flapping.ts'
import { problemStartedBy, problemsEndedBy } from '../problems.ts'
import type { Alert, AlertKind } from '../types.ts'

/** In order of urgency. */
const states = [
  'down',
  'network_down',
  'degraded',
  'certificate_expiring',
  'domain_expiring',
  'endpoint_disabled',
  'dns_changed',
  'was_down',
  'was_degraded',
  'acknowledged',
  'up',
  'recovered',
] as const

export type State = (typeof states)[number]

/** The current state of one monitor or endpoint, and the alerts that led to it. */
export interface Entry {
  readonly state: State
  /** The alert that the entry describes: the start of the problem if the alerts include both start and end. */
  readonly alert: Alert
  readonly beganAt: number | null
  readonly endedAt: number | null
  readonly alerts: readonly Alert[]
  /** Present if the monitor flaps: the entry stands for all its problems. */
  readonly flapping?: Flapping
  /** Who acknowledged the problem that starts. */
  readonly acknowledgedBy?: string
  /** The problem has ended, but the same message reports the next one of the monitor. */
  readonly isPast?: true
}

const stateAfter: Readonly<Record<AlertKind, State>> = {
  opened: 'down',
  resolved: 'up',
  degraded: 'degraded',
  recovered: 'recovered',
  certificate_expiring: 'certificate_expiring',
  domain_expiring: 'domain_expiring',
  dns_changed: 'dns_changed',
  endpoint_disabled: 'endpoint_disabled',
  network_down: 'network_down',
  acknowledged: 'acknowledged',
}

const stateWhenEnded: Partial<Record<State, State>> = { down: 'was_down', degraded: 'was_degraded' }

/**
 * Merges the alerts of one problem into one entry: the start and end of a problem, its acknowledgement, or a degradation that
 * became an outage. Every alert is in exactly one entry. Sorted by urgency.
 */
export function groupAlerts(alerts: readonly Alert[]): readonly Entry[] {
  const entries = new Set<Draft>()
  const open = new Map<string, Draft>()
  for (const alert of [...alerts].sort((a, b) => a.at - b.at)) {
    if (alert.kind === 'acknowledged') {
      acknowledge(entries, open, alert)
      continue
    }
    const [ownProblem, ...otherProblems] = problemsEndedBy(alert)
    const own = take(open, ownProblem)
    // A problem that started with the same check has not ended with it.
    const others = otherProblems.map((problem) => take(open, problem, alert.at))
    const acknowledged = take(open, acknowledgementOf(alert))
    if (own !== undefined) {
      own.endedAt = alert.at
      own.alerts.push(alert)
      for (const other of others) absorb(entries, own, other)
      continue
    }
    const draft: Draft = { alert, beganAt: alert.beganAt, endedAt: alert.endedAt, alerts: [alert] }
    entries.add(draft)
    for (const other of [...others, acknowledged]) absorb(entries, draft, other)
    const started = problemStartedBy(alert)
    if (alert.kind === 'opened') absorb(entries, draft, take(open, `degraded ${alert.monitorId}`))
    if (started !== null) open.set(started, draft)
  }
  return [...entries].map(entryOf).sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
}

interface Draft {
  readonly alert: Alert
  readonly beganAt: number | null
  endedAt: number | null
  alerts: Alert[]
}

/** Part of the entry that reports the outage, or an entry that the end of the outage replaces. */
function acknowledge(entries: Set<Draft>, open: Map<string, Draft>, alert: Alert): void {
  const outage = open.get(alert.incidentId ?? '')
  if (outage !== undefined) {
    outage.alerts.push(alert)
    return
  }
  const draft: Draft = { alert, beganAt: alert.beganAt, endedAt: null, alerts: [alert] }
  entries.add(draft)
  if (alert.incidentId !== null) open.set(`acknowledged ${alert.incidentId}`, draft)
}

function acknowledgementOf({ kind, incidentId }: Alert): string {
  return kind === 'resolved' && incidentId !== null ? `acknowledged ${incidentId}` : ''
}

function take(open: Map<string, Draft>, problem = '', startedBefore = Number.POSITIVE_INFINITY): Draft | undefined {
  const draft = open.get(problem)
  if (draft === undefined || draft.alert.at >= startedBefore) return undefined
  open.delete(problem)
  return draft
}

function absorb(entries: Set<Draft>, into: Draft, other: Draft | undefined): void {
  if (other === undefined) return
  entries.delete(other)
  into.alerts = [...other.alerts, ...into.alerts]
}

function entryOf({ alert, beganAt, endedAt, alerts }: Draft): Entry {
  const state = stateAfter[alert.kind]
  const hasEnded = endedAt !== null && stateWhenEnded[state] !== undefined
  const acknowledgedBy = alerts.find(({ kind }) => kind === 'acknowledged')?.facts?.acknowledgedBy
  return {
    state: hasEnded ? (stateWhenEnded[state] as State) : state,
    alert,
    beganAt: hasEnded ? alert.at : beganAt,
    endedAt: hasEnded ? endedAt : state === 'up' || state === 'recovered' ? alert.at : null,
    alerts,
    ...(acknowledgedBy !== undefined && { acknowledgedBy }),
  }
}
