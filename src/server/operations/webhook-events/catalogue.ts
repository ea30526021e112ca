import Type, { type TSchema } from 'typebox'
import type { EventType } from '../../../events/types.ts'
import { IncidentDetail } from '../../../monitoring/incidents/schema.ts'
import { MaintenanceWindow } from '../../../monitoring/maintenance/schema.ts'
import { Monitor } from '../../../monitoring/monitors/schema.ts'
import { WebhookEndpoint } from '../../../notifications/webhooks/schema.ts'
import { PublishedIncident } from '../../../publishing/published-incidents/schema.ts'
import * as examples from './examples.ts'

/** What is documented of an event type. */
export interface EventDoc {
  /** When it is sent. */
  readonly sentence: string
  /** The schema of `data`. */
  readonly data: TSchema
  readonly example: object
}

const ChangedMonitor = Type.Object(
  {
    ...Monitor.properties,
    changed: Type.Array(Type.String(), { description: 'The names of the changed fields' }),
  },
  { title: 'ChangedMonitor' },
)

const ofMonitor = (sentence: string, example: object): EventDoc => ({ sentence, data: Monitor, example })
const ofIncident = (sentence: string, example: object): EventDoc => ({ sentence, data: IncidentDetail, example })
const ofPublished = (sentence: string, example: object): EventDoc => ({ sentence, data: PublishedIncident, example })
const ofMaintenance = (sentence: string, example: object): EventDoc => ({ sentence, data: MaintenanceWindow, example })

const { monitor } = examples
const degraded = { ...monitor, state: 'DEGRADED', lastResponseMs: 1_240 }
const expiring = { ...monitor, certExpiresAt: '2026-03-12T12:00:00.000Z' }
const renamed = { ...monitor, name: 'Checkout (EU)', updatedAt: '2026-03-02T09:30:30.000Z' }

export const catalogue: Readonly<Record<EventType, EventDoc>> = {
  'incident.opened': ofIncident('A monitor went down, and an incident was opened.', examples.openIncident),
  'incident.acknowledged': ofIncident('Somebody acknowledged an incident.', examples.acknowledgedIncident),
  'incident.resolved': ofIncident('The monitor of an incident is up again.', examples.resolvedIncident),
  'status_incident.published': ofPublished('An incident was published on a status page.', examples.publishedIncident),
  'status_incident.updated': ofPublished('A published incident was edited.', {
    ...examples.publishedIncident,
    impact: 'CRITICAL',
  }),
  'status_incident.update_posted': ofPublished(
    'An update was posted to a published incident. It is the first entry of `updates`.',
    examples.updatedPublishedIncident,
  ),
  'status_incident.resolved': ofPublished('A published incident was resolved.', examples.resolvedPublishedIncident),
  'monitor.created': ofMonitor('A monitor was created.', examples.newMonitor),
  'monitor.updated': {
    sentence: 'Settings of a monitor were changed; `changed` names the fields.',
    data: ChangedMonitor,
    example: { ...renamed, changed: ['name'] },
  },
  'monitor.deleted': ofMonitor('A monitor was deleted. `data` is its last state.', monitor),
  'monitor.paused': ofMonitor('A monitor was paused.', { ...monitor, state: 'PAUSED' }),
  'monitor.resumed': ofMonitor('A paused monitor was resumed.', { ...monitor, state: 'PENDING' }),
  'monitor.degraded': ofMonitor('A monitor became DEGRADED.', degraded),
  'monitor.recovered': ofMonitor('A DEGRADED monitor is UP again.', monitor),
  'monitor.certificate_expiring': ofMonitor(
    'The certificate of a target expires within `sslExpiryThresholdDays`; sent once per certificate.',
    expiring,
  ),
  'monitor.domain_expiring': ofMonitor(
    'The registration of a domain expires within `sslExpiryThresholdDays`.',
    examples.domainMonitor,
  ),
  'monitor.dns_changed': ofMonitor('The records of a DNS monitor changed.', examples.dnsMonitor),
  'maintenance.scheduled': ofMaintenance(
    'A maintenance window was created, or its times were changed.',
    examples.maintenance,
  ),
  'maintenance.started': ofMaintenance(
    'A maintenance window has started. Consecutive occurrences without a gap count as one. After an ' +
      'interruption of the service only the latest occurrence is reported.',
    examples.maintenanceUnderWay,
  ),
  'maintenance.completed': ofMaintenance(
    'A maintenance window has ended, by its time or because its times were changed. Follows every ' +
      '`maintenance.started`, unless the window is deleted.',
    examples.maintenanceOver,
  ),
  'maintenance.cancelled': ofMaintenance(
    'A maintenance window was deleted before its end. `data` is its last state.',
    examples.maintenance,
  ),
  'webhook.test': {
    sentence: 'A test event was requested. It is sent to one endpoint only.',
    data: WebhookEndpoint,
    example: examples.endpoint,
  },
}

/** A request body. */
export function exampleOf(type: EventType) {
  return {
    id: 'evt_019a8c60b1a870009d8c7b6a59483726',
    type,
    timestamp: '2026-03-02T09:31:00.000Z',
    data: catalogue[type].example,
  }
}
