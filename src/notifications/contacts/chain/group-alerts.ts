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
  'up',
  'recovered',
  'still_down',
] as const

export type State = (typeof states)[number]

/** One line of a message: the current state of one monitor or endpoint, and the alerts that led to it. */
export interface Entry {
  readonly state: State
  /** The alert that the line describes: the start of the problem if the alerts include both start and end. */
  readonly alert: Alert
  readonly beganAt: number | null
  readonly endedAt: number | null
  readonly alerts: readonly Alert[]
  /** Present if the monitor flaps: the entry stands for all its problems. */
  readonly flapping?: Flapping
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
}

const stateWhenEnded: Partial<Record<State, State>> = { down: 'was_down', degraded: 'was_degraded' }

/**
 * Merges the alerts of one problem into one entry: the start and end of a problem, or a degradation that became an
 * outage. Every alert is in exactly one entry. Sorted by urgency.
 */
export function groupAlerts(alerts: readonly Alert[]): readonly Entry[] {
  const entries = new Set<Draft>()
  const open = new Map<string, Draft>()
  for (const alert of [...alerts].sort((a, b) => a.at - b.at)) {
    const [ownProblem, ...otherProblems] = problemsEndedBy(alert)
    const own = take(open, ownProblem)
    // A problem that started with the same check has not ended with it.
    const others = otherProblems.map((problem) => take(open, problem, alert.at))
    if (own !== undefined) {
      own.endedAt = alert.at
      own.alerts.push(alert)
      for (const other of others) absorb(entries, own, other)
      continue
    }
    const draft: Draft = { alert, beganAt: alert.beganAt, endedAt: alert.endedAt, alerts: [alert] }
    entries.add(draft)
    for (const other of others) absorb(entries, draft, other)
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
  return {
    state: hasEnded ? (stateWhenEnded[state] as State) : state,
    alert,
    beganAt: hasEnded ? alert.at : beganAt,
    endedAt: hasEnded ? endedAt : state === 'up' || state === 'recovered' ? alert.at : null,
    alerts,
  }
}
