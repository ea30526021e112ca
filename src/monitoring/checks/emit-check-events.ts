import { type EventData, emit } from '../../events/emit.ts'
import { maskUrl } from '../../lib/mask.ts'
import { alertContacts, endProblemsSilently } from '../../notifications/contacts/queries.ts'
import type { AlertFacts, AlertKind } from '../../notifications/contacts/types.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { incidentOf } from '../incidents/queries.ts'
import { renderDetail } from '../incidents/render.ts'
import { definitions } from '../monitor-types/definitions.ts'
import { maskedMonitor, nameOf } from '../monitors/queries.ts'
import type { AppliedSample } from './apply-sample.ts'
import type { CheckEvent } from './check-events.ts'
import { degradedReason, expiryReason } from './degraded-reason.ts'

/**
 * Emits the webhook events and alerts of a check, in the transaction that saves it. In maintenance events are emitted but
 * nobody is alerted; only problems that are open at an alert service are closed there.
 */
export function* emitCheckEvents(applied: AppliedSample, baseUrl: string): DbWork<void> {
  for (const event of applied.events) {
    yield* emitEvent(applied, event, baseUrl)
    if (event.alert === null) continue
    if (!applied.inMaintenance) yield* alert(applied, event.alert, event.about)
    else if (event.alert === 'resolved') {
      const { orgId, monitorId } = applied.claim
      yield* endProblemsSilently(orgId, [{ monitorId, incidentId: incidentIn(applied) }], applied.at)
    }
  }
}

function* emitEvent(applied: AppliedSample, { event, about }: CheckEvent, baseUrl: string): DbWork<void> {
  const { orgId, monitorId } = applied.claim
  const data = function* (): DbWork<EventData | string> {
    if (about === 'monitor') return yield* maskedMonitor(orgId, monitorId, baseUrl)
    return JSON.stringify(renderDetail(yield* incidentOf(orgId, incidentIn(applied) as string)))
  }
  yield* emit({ orgId, type: event, data, now: applied.at })
}

function* alert(applied: AppliedSample, kind: AlertKind, about: CheckEvent['about']): DbWork<void> {
  const { orgId, num, monitorId, target, settings } = applied.claim
  yield* alertContacts({
    orgId,
    kind,
    monitorNum: num,
    monitorId,
    incidentId: about === 'incident' ? incidentIn(applied) : null,
    subject: yield* nameOf(orgId, num),
    target: maskedTarget(definitions[settings.type].targetText(target)),
    reason: reasonOf(applied, kind),
    ...(kind === 'opened' && { facts: outageFacts(applied.sample) }),
    at: applied.at,
  })
}

function maskedTarget(target: string | null): string | null {
  return target === null ? null : maskUrl(target)
}

/** The incident that the check opened or resolved. */
function incidentIn({ claim, update }: AppliedSample): string | null {
  return update.openIncident ?? claim.openIncident
}

function reasonOf({ sample, at, verdict, claim }: AppliedSample, kind: AlertKind): Reason | null {
  if (sample.outcome === 'failure') return sample.error
  const { certificate, records } = sample
  if (kind === 'degraded') return degradedReason(verdict, claim.settings, sample.degraded)
  if ((kind === 'certificate_expiring' || kind === 'domain_expiring') && certificate) {
    return expiryReason(certificate.expiresAt, at)
  }
  if (kind === 'dns_changed' && records) return reason('records_now', { records })
  return null
}

/** What messages about an outage say besides the reason. */
function outageFacts({ ip, triedIp, tries }: AppliedSample['sample']): AlertFacts {
  const address = ip ?? triedIp
  return { ...(tries && { tries: tries.length }), ...(address !== undefined && { ip: address }) }
}
