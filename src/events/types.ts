/** All event types that endpoints can subscribe to. */
export const eventTypes = [
  'incident.opened',
  'incident.acknowledged',
  'incident.resolved',
  'status_incident.published',
  'status_incident.updated',
  'status_incident.update_posted',
  'status_incident.resolved',
  'monitor.created',
  'monitor.updated',
  'monitor.deleted',
  'monitor.paused',
  'monitor.resumed',
  'monitor.degraded',
  'monitor.recovered',
  'monitor.certificate_expiring',
  'monitor.domain_expiring',
  'monitor.dns_changed',
  'maintenance.scheduled',
  'maintenance.started',
  'maintenance.completed',
  'maintenance.cancelled',
  'webhook.test',
] as const

export type EventType = (typeof eventTypes)[number]
