import type { EventType } from '../../events/types.ts'
import type { AlertKind } from '../../notifications/contacts/types.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import type { Verdict } from './judge.ts'

/** Something to tell of a check, to endpoints by its event and to people by its alert. */
export interface News {
  readonly event: EventType
  readonly alert: AlertKind
  /** What the event carries. */
  readonly about: 'incident' | 'monitor'
}

/** What a check that landed has changed. */
export interface Changed {
  readonly type: string
  readonly before: MonitorState
  readonly verdict: Verdict
  /** A DNS monitor's records are others than before, and somebody wants to know. */
  readonly recordsChanged: boolean
}

/** What there is to tell of a check, mostly nothing. The end of a trouble comes before the beginning of another. */
export function newsOf({ type, before, verdict, recordsChanged }: Changed): readonly News[] {
  const news: News[] = []
  if (verdict.incident === 'resolve') news.push({ event: 'incident.resolved', alert: 'resolved', about: 'incident' })
  if (verdict.incident === 'open') news.push({ event: 'incident.opened', alert: 'opened', about: 'incident' })
  if (verdict.state === 'DEGRADED' && before !== 'DEGRADED') {
    news.push({ event: 'monitor.degraded', alert: 'degraded', about: 'monitor' })
  }
  if (verdict.state === 'UP' && before === 'DEGRADED') {
    news.push({ event: 'monitor.recovered', alert: 'recovered', about: 'monitor' })
  }
  if (verdict.expiring !== null) {
    news.push(
      type === 'DOMAIN'
        ? { event: 'monitor.domain_expiring', alert: 'domain_expiring', about: 'monitor' }
        : { event: 'monitor.certificate_expiring', alert: 'certificate_expiring', about: 'monitor' },
    )
  }
  if (recordsChanged) news.push({ event: 'monitor.dns_changed', alert: 'dns_changed', about: 'monitor' })
  return news
}
