import { emit } from '../../events/emit.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { alertContacts, endProblemsSilently } from '../../notifications/contacts/queries.ts'
import type { DbWork } from '../../storage/query.ts'
import { incidentOf } from '../incidents/queries.ts'
import { renderDetail } from '../incidents/render.ts'
import { monitorOf, nameOf } from '../monitors/queries.ts'
import type { Claim } from './claim.ts'
import type { Conclusive, Verdict } from './judge.ts'
import { type News, newsOf } from './check-events.ts'

/** A check that landed, with what it changed. */
export interface Change {
  readonly claim: Claim
  readonly sample: Conclusive
  readonly verdict: Verdict
  /** The incident that is open now. */
  readonly incident: string | null
  readonly recordsChanged: boolean
  readonly inMaintenance: boolean
  readonly at: number
}

/** What there is to tell of a check that landed, mostly nothing. */
export function newsIn({ claim, verdict, recordsChanged }: Change): readonly News[] {
  return newsOf({ type: claim.settings.type, before: claim.standing.state, verdict, recordsChanged })
}

/**
 * The one place from which events and alerts of checks go out, in the transaction of the check: what is written here
 * commits with the state. In maintenance the state is told as it is, but no person is alerted; where a service keeps
 * incidents of its own, the one that ended is closed.
 */
export function* announce(change: Change, baseUrl: string): DbWork<void> {
  for (const news of newsIn(change)) {
    yield* emitNews(change, news, baseUrl)
    if (!change.inMaintenance) yield* alertOf(change, news)
    else if (news.alert === 'resolved') yield* endProblemsSilently(endOf(change))
  }
}

function* emitNews(change: Change, { event, about }: News, baseUrl: string): DbWork<void> {
  const { orgId, monitorId } = change.claim
  const data = function* (): DbWork<string> {
    if (about === 'monitor') return (yield* monitorOf(orgId, monitorId, baseUrl)).text
    return JSON.stringify(renderDetail(yield* incidentOf(orgId, incidentIn(change) as string)))
  }
  yield* emit({ orgId, type: event, data, now: change.at })
}

function* alertOf(change: Change, { alert, about }: News): DbWork<void> {
  const { orgId, num, monitorId, target } = change.claim
  yield* alertContacts({
    orgId,
    kind: alert,
    monitorNum: num,
    monitorId,
    incidentId: about === 'incident' ? incidentIn(change) : null,
    subject: yield* nameOf(orgId, num),
    target: target.url ?? target.host,
    reason: reasonOf(change, alert),
    at: change.at,
  })
}

function endOf(change: Change) {
  const { orgId, monitorId } = change.claim
  return { orgId, monitorId, incidentId: incidentIn(change), at: change.at }
}

/** The incident that a check opened or resolved. */
function incidentIn({ claim, incident }: Change): string | null {
  return incident ?? claim.openIncident
}

function reasonOf({ sample }: Change, alert: News['alert']): string | null {
  if (sample.outcome === 'failure') return sample.error
  const { certificate, responseMs, records } = sample
  if (alert === 'degraded' && responseMs !== undefined) return `The latest check took ${Math.round(responseMs)} ms`
  if (alert === 'certificate_expiring' && certificate) return `It expires at ${isoTimestamp(certificate.expiresAt)}`
  if (alert === 'domain_expiring' && certificate) return `It expires at ${isoTimestamp(certificate.expiresAt)}`
  if (alert === 'dns_changed' && records) return `The records are now ${records.join(', ')}`
  return null
}
