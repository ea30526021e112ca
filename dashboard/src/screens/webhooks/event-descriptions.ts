import { t } from '../../lib/i18n.ts'

/** When each event is sent. The server's own description names fields, for the API reference. */
export const eventDescriptions: Readonly<Record<string, string>> = {
  'incident.opened': t('A monitor went down'),
  'incident.acknowledged': t('Someone acknowledged an incident'),
  'incident.resolved': t('The monitor of an incident is up again'),
  'status_incident.published': t('An incident was published on a status page'),
  'status_incident.updated': t('A published incident was edited'),
  'status_incident.update_posted': t('An update was posted to a published incident'),
  'status_incident.resolved': t('A published incident was resolved'),
  'monitor.created': t('A monitor was created'),
  'monitor.updated': t('Settings of a monitor were changed'),
  'monitor.deleted': t('A monitor was deleted'),
  'monitor.paused': t('A monitor was paused'),
  'monitor.resumed': t('A paused monitor was resumed'),
  'monitor.degraded': t('A monitor became degraded, for example slow'),
  'monitor.recovered': t('A degraded monitor is up again'),
  'monitor.certificate_expiring': t('A certificate expires soon'),
  'monitor.domain_expiring': t('A domain registration expires soon'),
  'monitor.dns_changed': t('DNS records changed'),
  'maintenance.scheduled': t('Maintenance was scheduled or moved'),
  'maintenance.started': t('Maintenance started'),
  'maintenance.completed': t('Maintenance ended'),
  'maintenance.cancelled': t('Maintenance was cancelled'),
  'webhook.test': t('Someone sent a test event'),
}
