import { getCurrentKey } from '../../accounts/keys/get-current.ts'
import { listAuditLog } from '../../accounts/organizations/audit-log.ts'
import { getUsage } from '../../accounts/organizations/usage.ts'
import { applyConfiguration } from '../../configuration/apply.ts'
import { planConfiguration } from '../../configuration/create-plan.ts'
import { getConfiguration } from '../../configuration/export.ts'
import { finishImport } from '../../configuration/finish-import.ts'
import { sourceOperations } from '../../configuration/get-source.ts'
import { importHistory } from '../../configuration/import-history.ts'
import { listSources } from '../../configuration/list-sources.ts'
import type { Operation } from '../../contract/operation.ts'
import { importOperations } from '../../importers/stored-imports/operations.ts'
import { getAlertCoverage } from '../../monitoring/alert-coverage/get.ts'
import { listChecks } from '../../monitoring/check-results/list.ts'
import { removeResultsOfMonitors } from '../../monitoring/check-results/remove.ts'
import { checkMonitor } from '../../monitoring/checks/check-now.ts'
import { listHeartbeats } from '../../monitoring/checks/list-heartbeats.ts'
import { tryMonitor } from '../../monitoring/checks/test-settings.ts'
import { createIncidentNote } from '../../monitoring/incident-notes/create.ts'
import { listIncidentNotes } from '../../monitoring/incident-notes/list.ts'
import { deleteIncidentNote } from '../../monitoring/incident-notes/remove.ts'
import { updateIncidentNote } from '../../monitoring/incident-notes/update.ts'
import { acknowledgeIncident } from '../../monitoring/incidents/acknowledge.ts'
import { getIncident } from '../../monitoring/incidents/get.ts'
import { getIncidentEvidence } from '../../monitoring/incidents/get-evidence.ts'
import { listIncidents } from '../../monitoring/incidents/list.ts'
import { listAcknowledgements } from '../../monitoring/incidents/list-acknowledgements.ts'
import { listIncidentAlerts } from '../../monitoring/incidents/list-alerts.ts'
import { listLastFailures } from '../../monitoring/incidents/list-last-failures.ts'
import { removeIncidentsOfMonitors } from '../../monitoring/incidents/remove-monitor.ts'
import { listLabels, listLabelValues } from '../../monitoring/labels/list.ts'
import { type LabelListener, removeLabelsOfMonitors } from '../../monitoring/labels/save.ts'
import { createMaintenanceWindow } from '../../monitoring/maintenance/create.ts'
import { getMaintenanceWindow } from '../../monitoring/maintenance/get.ts'
import { listMaintenanceWindows } from '../../monitoring/maintenance/list.ts'
import { deleteMaintenanceWindow } from '../../monitoring/maintenance/remove.ts'
import { removeMonitorsFromWindows } from '../../monitoring/maintenance/remove-monitor.ts'
import {
  followLabelsInWindows,
  getMaintenanceSelector,
  setMaintenanceSelector,
} from '../../monitoring/maintenance/selector.ts'
import { updateMaintenanceWindow } from '../../monitoring/maintenance/update.ts'
import { getMonitorList } from '../../monitoring/monitor-list/get.ts'
import { getMonitorMetrics } from '../../monitoring/monitor-metrics/get.ts'
import { changeMonitors } from '../../monitoring/monitors/bulk-change.ts'
import { updateMonitors } from '../../monitoring/monitors/bulk-update.ts'
import { createMonitor } from '../../monitoring/monitors/create.ts'
import { getMonitor } from '../../monitoring/monitors/get.ts'
import { getMonitorDetails } from '../../monitoring/monitors/get-details.ts'
import { getMonitorEvidence } from '../../monitoring/monitors/get-evidence.ts'
import { getMonitorMute } from '../../monitoring/monitors/get-mute.ts'
import { getMonitorLabels, setMonitorLabels } from '../../monitoring/monitors/labels.ts'
import { listMonitors } from '../../monitoring/monitors/list.ts'
import { listMutes } from '../../monitoring/monitors/list-mutes.ts'
import { muteMonitor } from '../../monitoring/monitors/mute.ts'
import { optionOperations } from '../../monitoring/monitors/option-operations.ts'
import { pauseMonitor } from '../../monitoring/monitors/pause.ts'
import { deleteMonitor } from '../../monitoring/monitors/remove.ts'
import { resumeMonitor } from '../../monitoring/monitors/resume.ts'
import { rotateHeartbeatToken } from '../../monitoring/monitors/rotate-heartbeat-token.ts'
import { unmuteMonitor } from '../../monitoring/monitors/unmute.ts'
import { updateMonitor } from '../../monitoring/monitors/update.ts'
import { getOverview } from '../../monitoring/overview/get.ts'
import { getWallBoard } from '../../monitoring/overview/get-wall-board.ts'
import { getResponseTimes } from '../../monitoring/response-times/get.ts'
import { getUptime } from '../../monitoring/uptime/get.ts'
import { getUptimeReport } from '../../monitoring/uptime-reports/get.ts'
import { attachContact } from '../../notifications/contacts/attach.ts'
import { createContact } from '../../notifications/contacts/create.ts'
import { detachContact } from '../../notifications/contacts/detach.ts'
import { disableContact, enableContact } from '../../notifications/contacts/enable.ts'
import { getContact } from '../../notifications/contacts/get.ts'
import { listContacts } from '../../notifications/contacts/list.ts'
import { listMonitorContacts } from '../../notifications/contacts/list-attached.ts'
import { listContactChannels } from '../../notifications/contacts/list-channels.ts'
import { deleteContact } from '../../notifications/contacts/remove.ts'
import { resendContactConfirmation } from '../../notifications/contacts/request-confirmation.ts'
import { testContact } from '../../notifications/contacts/test.ts'
import { updateContact } from '../../notifications/contacts/update.ts'
import { listSubscribers } from '../../notifications/subscribers/list.ts'
import { deleteSubscriber } from '../../notifications/subscribers/remove.ts'
import { createWebhookEndpoint } from '../../notifications/webhooks/create.ts'
import { getWebhookEndpoint } from '../../notifications/webhooks/get.ts'
import { getWebhookDelivery } from '../../notifications/webhooks/get-delivery.ts'
import { getDeliveryRequest } from '../../notifications/webhooks/get-delivery-request.ts'
import { listWebhookDeliveries } from '../../notifications/webhooks/list-deliveries.ts'
import { listWebhookEndpoints } from '../../notifications/webhooks/list-endpoints.ts'
import { listFailingWebhookEndpoints } from '../../notifications/webhooks/list-failing.ts'
import { deleteWebhookEndpoint } from '../../notifications/webhooks/remove.ts'
import { retryWebhookDelivery } from '../../notifications/webhooks/retry.ts'
import { retryFailedDeliveries } from '../../notifications/webhooks/retry-failed.ts'
import { rotateWebhookSecret } from '../../notifications/webhooks/rotate-secret.ts'
import { testWebhookEndpoint } from '../../notifications/webhooks/send-test.ts'
import { updateWebhookEndpoint } from '../../notifications/webhooks/update.ts'
import { checkDomain } from '../../publishing/custom-domains/check.ts'
import { getDomain } from '../../publishing/custom-domains/get.ts'
import { createPublishedIncident } from '../../publishing/published-incidents/create.ts'
import { getPublishedIncident } from '../../publishing/published-incidents/get.ts'
import { listPublishedIncidents } from '../../publishing/published-incidents/list.ts'
import { listIncidentPublications } from '../../publishing/published-incidents/list-of-incident.ts'
import { listOutlivedIncidents } from '../../publishing/published-incidents/list-outlived.ts'
import { postPublishedUpdate } from '../../publishing/published-incidents/post-update.ts'
import { deletePublishedIncident } from '../../publishing/published-incidents/remove.ts'
import { removeMonitorsFromPublishedIncidents } from '../../publishing/published-incidents/remove-monitor.ts'
import { updatePublishedIncident } from '../../publishing/published-incidents/update.ts'
import { createStatusPage } from '../../publishing/status-pages/create.ts'
import { getStatusPage } from '../../publishing/status-pages/get.ts'
import { listStatusPages } from '../../publishing/status-pages/list.ts'
import { setStatusPageLogo } from '../../publishing/status-pages/logo.ts'
import { deleteStatusPage } from '../../publishing/status-pages/remove.ts'
import { removeMonitorsFromPages } from '../../publishing/status-pages/remove-monitor.ts'
import {
  followLabelsOnPages,
  getStatusPageSelectors,
  setStatusPageSelectors,
} from '../../publishing/status-pages/selectors.ts'
import { updateStatusPage } from '../../publishing/status-pages/update.ts'
import { createShadowRun } from '../../shadow-runs/create.ts'
import { finishShadowRun } from '../../shadow-runs/finish.ts'
import { getShadowRun } from '../../shadow-runs/get.ts'
import { listShadowRuns } from '../../shadow-runs/list.ts'
import { listShadowDisagreements } from '../../shadow-runs/list-disagreements.ts'
import { deleteShadowRun } from '../../shadow-runs/remove.ts'
import { listWebhookEventTypes } from './webhook-events/list.ts'

/** Remove what refers to a deleted monitor. */
const deletionListeners = [
  removeMonitorsFromPages,
  removeMonitorsFromPublishedIncidents,
  removeMonitorsFromWindows,
  removeIncidentsOfMonitors,
  removeResultsOfMonitors,
  removeLabelsOfMonitors,
]

/** Update what monitors belong to by their labels. */
const labelListeners: readonly LabelListener[] = [followLabelsInWindows, followLabelsOnPages]

/** Operations on single resources and lists. */
const singleOperations: readonly Operation[] = [
  // Monitors
  listMonitors,
  createMonitor,
  getMonitor,
  updateMonitor,
  deleteMonitor(deletionListeners),
  pauseMonitor,
  resumeMonitor,
  checkMonitor,
  // Incidents
  listIncidents,
  getIncident,
  acknowledgeIncident,
  // Status pages
  listStatusPages,
  createStatusPage,
  getStatusPage,
  updateStatusPage,
  deleteStatusPage,
  // Maintenance windows
  listMaintenanceWindows,
  createMaintenanceWindow,
  getMaintenanceWindow,
  updateMaintenanceWindow,
  deleteMaintenanceWindow,
  // Published incidents
  listPublishedIncidents,
  createPublishedIncident,
  getPublishedIncident,
  updatePublishedIncident,
  deletePublishedIncident,
  postPublishedUpdate,
  // Webhooks
  listWebhookEndpoints,
  createWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  getWebhookDelivery,
  retryWebhookDelivery,
  // Extensions: statistics, usage and audit log
  getUptime,
  getResponseTimes,
  getUptimeReport,
  listChecks,
  listHeartbeats,
  tryMonitor,
  getCurrentKey,
  getUsage,
  listAuditLog,
  listWebhookEventTypes,
  getMonitorMetrics,
  // Extensions: options of monitors
  ...optionOperations,
  // Extensions: secrets of monitors
  rotateHeartbeatToken,
  // Extensions: labels, selectors and bulk changes
  getMonitorLabels,
  setMonitorLabels(labelListeners),
  getMonitorMute,
  muteMonitor,
  unmuteMonitor,
  listMutes,
  listLabels,
  listLabelValues,
  changeMonitors(deletionListeners, labelListeners),
  updateMonitors,
  getMaintenanceSelector,
  setMaintenanceSelector,
  getStatusPageSelectors,
  setStatusPageSelectors,
  setStatusPageLogo,
  // Extensions: contacts
  listContacts,
  createContact,
  getContact,
  updateContact,
  deleteContact,
  testContact,
  enableContact,
  disableContact,
  resendContactConfirmation,
  listContactChannels,
  listMonitorContacts,
  attachContact,
  detachContact,
  // Extensions: details of incidents
  listAcknowledgements,
  listLastFailures,
  getIncidentEvidence,
  listIncidentAlerts,
  listIncidentNotes,
  createIncidentNote,
  updateIncidentNote,
  deleteIncidentNote,
  listIncidentPublications,
  listOutlivedIncidents,
  // Extensions: details of status pages
  getDomain,
  checkDomain,
  listSubscribers,
  deleteSubscriber,
  // Extensions: details of webhooks
  listFailingWebhookEndpoints,
  retryFailedDeliveries,
  getDeliveryRequest,
  // Extensions: all monitors at a glance
  getOverview,
  getWallBoard,
  getAlertCoverage,
  getMonitorList,
  getMonitorDetails,
  getMonitorEvidence,
]

/** Every operation of the public API, in the order of the specification; extensions follow. */
export const operations: readonly Operation[] = [
  ...singleOperations,
  // Extensions: configuration as code, which calls the others
  getConfiguration,
  listSources,
  planConfiguration,
  applyConfiguration(singleOperations, labelListeners),
  finishImport,
  importHistory,
  ...sourceOperations,
  // Extensions: imports from other tools
  ...importOperations(singleOperations, labelListeners),
  // Extensions: shadow runs
  listShadowRuns,
  createShadowRun,
  getShadowRun,
  listShadowDisagreements,
  finishShadowRun,
  deleteShadowRun,
]
