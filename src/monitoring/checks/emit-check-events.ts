import { type EventData, emit } from '../../events/emit.ts'
import { maskUrl } from '../../lib/mask.ts'
import { utcDateText } from '../../lib/timestamp.ts'
import { alertContacts, endProblemsSilently } from '../../notifications/contacts/queries.ts'
import type { DbWork } from '../../storage/query.ts'
import { incidentOf } from '../incidents/queries.ts'
import { renderDetail } from '../incidents/render.ts'
import { maskedMonitor, nameOf } from '../monitors/queries.ts'
import type { CheckEvent } from './check-events.ts'
import type { Decision } from './decide.ts'

/**
 * Emits the webhook events and alerts of a check, in the transaction that saves it. In maintenance events are emitted but
 * nobody is alerted; only problems that are open at an alert service are closed there.
 */
export function* emitCheckEvents(decision: Decision, baseUrl: string): DbWork<void> {
  for (const event of decision.events) {
    yield* emitEvent(decision, event, baseUrl)
    if (!decision.inMaintenance) yield* alert(decision, event)
    else if (event.alert === 'resolved') {
      const { orgId, monitorId } = decision.claim
      yield* endProblemsSilently(orgId, [{ monitorId, incidentId: incidentIn(decision) }], decision.at)
    }
  }
}

function* emitEvent(decision: Decision, { event, about }: CheckEvent, baseUrl: string): DbWork<void> {
  const { orgId, monitorId } = decision.claim
  const data = function* (): DbWork<EventData | string> {
    if (about === 'monitor') return yield* maskedMonitor(orgId, monitorId, baseUrl)
    return JSON.stringify(renderDetail(yield* incidentOf(orgId, incidentIn(decision) as string)))
  }
  yield* emit({ orgId, type: event, data, now: decision.at })
}

function* alert(decision: Decision, { alert: kind, about }: CheckEvent): DbWork<void> {
  const { orgId, num, monitorId, target } = decision.claim
  yield* alertContacts({
    orgId,
    kind,
    monitorNum: num,
    monitorId,
    incidentId: about === 'incident' ? incidentIn(decision) : null,
    subject: yield* nameOf(orgId, num),
    target: target.url === null ? target.host : maskUrl(target.url),
    reason: reasonOf(decision, kind),
    at: decision.at,
  })
}

/** The incident that the check opened or resolved. */
function incidentIn({ claim, update }: Decision): string | null {
  return update.openIncident ?? claim.openIncident
}

function reasonOf({ sample }: Decision, kind: CheckEvent['alert']): string | null {
  if (sample.outcome === 'failure') return sample.error
  const { certificate, responseMs, records } = sample
  if (kind === 'degraded' && responseMs !== undefined) return `last response took ${Math.round(responseMs)} ms`
  if ((kind === 'certificate_expiring' || kind === 'domain_expiring') && certificate) {
    return `expires on ${utcDateText(certificate.expiresAt)}`
  }
  if (kind === 'dns_changed' && records) return `records are now ${records.join(', ')}`
  return null
}
