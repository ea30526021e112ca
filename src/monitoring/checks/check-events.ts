import type { EventType } from '../../events/types.ts'
import type { AlertKind } from '../../notifications/contacts/types.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { definitions, type MonitorType } from '../monitor-types/definitions.ts'
import type { Verdict } from './judge.ts'

/** Something that a check changed: a webhook event, and the alert that goes with it. */
export interface CheckEvent {
  readonly event: EventType
  /** Null if another alert of the check reports the same fact, or an earlier one did. */
  readonly alert: AlertKind | null
  /** The resource that the event carries. */
  readonly about: 'incident' | 'monitor'
}

export interface CheckEventInput {
  readonly type: MonitorType
  /** The state before the check. */
  readonly before: MonitorState
  readonly verdict: Verdict
  /** DNS records changed, and the monitor alerts on that. */
  readonly recordsChanged: boolean
}

/** Empty for most checks. The end of one problem comes before the start of another. */
export function checkEvents({ type, before, verdict, recordsChanged }: CheckEventInput): readonly CheckEvent[] {
  const events: CheckEvent[] = []
  if (verdict.incident === 'resolve') events.push({ event: 'incident.resolved', alert: 'resolved', about: 'incident' })
  if (verdict.incident === 'open') events.push({ event: 'incident.opened', alert: 'opened', about: 'incident' })
  if (verdict.state === 'DEGRADED' && before !== 'DEGRADED') {
    // The expiry is an alert of its own.
    const isOnlyExpiring = verdict.degradedBy.every((by) => by === 'expiry')
    events.push({ event: 'monitor.degraded', alert: isOnlyExpiring ? null : 'degraded', about: 'monitor' })
  }
  if (verdict.state === 'UP' && before === 'DEGRADED') {
    events.push({ event: 'monitor.recovered', alert: 'recovered', about: 'monitor' })
  }
  if (verdict.expiring !== null) {
    const subject = definitions[type].expiry?.of ?? 'certificate'
    events.push({ event: `monitor.${subject}_expiring`, alert: `${subject}_expiring`, about: 'monitor' })
  }
  if (recordsChanged) events.push({ event: 'monitor.dns_changed', alert: 'dns_changed', about: 'monitor' })
  return events
}
