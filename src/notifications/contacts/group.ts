import { problemStartedBy, problemsEndedBy } from './problems.ts'
import type { Alert, AlertKind } from './types.ts'

/** Where something stands, in the order of urgency. */
export const states = [
  'down',
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

/** One line of a message: where one thing stands now, whatever happened to it since the last message. */
export interface Entry {
  readonly state: State
  /** The change that says what happened: the beginning, where both it and the end are told at once. */
  readonly alert: Alert
  readonly beganAt: number | null
  readonly endedAt: number | null
  /** Every change that this line tells of. */
  readonly alerts: readonly Alert[]
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
}

const stateWhenOver: Partial<Record<State, State>> = { down: 'was_down', degraded: 'was_degraded' }

/**
 * Makes one line of all that belongs together: a trouble that is over before anybody was told is told once, and a
 * monitor that was degraded before it went down is down. Every change is in exactly one line; the most urgent come first.
 */
export function groupAlerts(alerts: readonly Alert[]): readonly Entry[] {
  const entries = new Set<Draft>()
  const open = new Map<string, Draft>()
  for (const alert of [...alerts].sort((a, b) => a.at - b.at)) {
    const [ownTrouble, ...otherTroubles] = problemsEndedBy(alert)
    const own = take(open, ownTrouble)
    // What began with the same check is not over with it.
    const others = otherTroubles.map((trouble) => take(open, trouble, alert.at))
    if (own !== undefined) {
      own.endedAt = alert.at
      own.alerts.push(alert)
      for (const other of others) absorb(entries, own, other)
      continue
    }
    const draft: Draft = { about: alert, beganAt: alert.beganAt, endedAt: alert.endedAt, alerts: [alert] }
    entries.add(draft)
    for (const other of others) absorb(entries, draft, other)
    const begun = problemStartedBy(alert)
    if (alert.kind === 'opened') absorb(entries, draft, take(open, `degraded ${alert.monitorId}`))
    if (begun !== null) open.set(begun, draft)
  }
  return [...entries].map(entryOf).sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
}

interface Draft {
  readonly about: Alert
  readonly beganAt: number | null
  endedAt: number | null
  alerts: Alert[]
}

function take(open: Map<string, Draft>, trouble = '', before = Number.POSITIVE_INFINITY): Draft | undefined {
  const draft = open.get(trouble)
  if (draft === undefined || draft.about.at >= before) return undefined
  open.delete(trouble)
  return draft
}

function absorb(entries: Set<Draft>, into: Draft, other: Draft | undefined): void {
  if (other === undefined) return
  entries.delete(other)
  into.alerts = [...other.alerts, ...into.alerts]
}

function entryOf({ about, beganAt, endedAt, alerts }: Draft): Entry {
  const state = stateAfter[about.kind]
  const isOver = endedAt !== null && stateWhenOver[state] !== undefined
  return {
    state: isOver ? (stateWhenOver[state] as State) : state,
    alert: about,
    beganAt: isOver ? about.at : beganAt,
    endedAt: isOver ? endedAt : state === 'up' || state === 'recovered' ? about.at : null,
    alerts,
  }
}
