import { listAuditLog } from '../../accounts/organizations/audit-log.ts'
import { getUsage } from '../../accounts/organizations/usage.ts'
import type { Operation } from '../../contract/operation.ts'
import { checkMonitor } from '../../monitoring/checks/check-now.ts'
import { tryMonitor } from '../../monitoring/checks/test-settings.ts'
import { acknowledgeIncident } from '../../monitoring/incidents/acknowledge.ts'
import { getIncident } from '../../monitoring/incidents/get.ts'
import { listIncidents } from '../../monitoring/incidents/list.ts'
import { removeMonitorFromIncidents } from '../../monitoring/incidents/remove-monitor.ts'
import { createMaintenanceWindow } from '../../monitoring/maintenance/create.ts'
import { getMaintenanceWindow } from '../../monitoring/maintenance/get.ts'
import { listMaintenanceWindows } from '../../monitoring/maintenance/list.ts'
import { deleteMaintenanceWindow } from '../../monitoring/maintenance/remove.ts'
import { removeMonitorFromWindows } from '../../monitoring/maintenance/remove-monitor.ts'
import { updateMaintenanceWindow } from '../../monitoring/maintenance/update.ts'
import { createMonitor } from '../../monitoring/monitors/create.ts'
import { getMonitor } from '../../monitoring/monitors/get.ts'
import { listMonitors } from '../../monitoring/monitors/list.ts'
import { pauseMonitor } from '../../monitoring/monitors/pause.ts'
import { deleteMonitor } from '../../monitoring/monitors/remove.ts'
import { resumeMonitor } from '../../monitoring/monitors/resume.ts'
import { updateMonitor } from '../../monitoring/monitors/update.ts'
import { getMonitorMetrics } from '../../monitoring/statistics/get-monitor-metrics.ts'
import { getResponseTimes } from '../../monitoring/statistics/get-response-times.ts'
import { getUptime } from '../../monitoring/statistics/get-uptime.ts'
import { listChecks } from '../../monitoring/statistics/list-checks.ts'
import { listHeartbeats } from '../../monitoring/statistics/list-heartbeats.ts'
import { createWebhookEndpoint } from '../../notifications/webhooks/create.ts'
import { getWebhookEndpoint } from '../../notifications/webhooks/get.ts'
import { getWebhookDelivery } from '../../notifications/webhooks/get-delivery.ts'
import { listWebhookDeliveries } from '../../notifications/webhooks/list-deliveries.ts'
import { listWebhookEndpoints } from '../../notifications/webhooks/list-endpoints.ts'
import { deleteWebhookEndpoint } from '../../notifications/webhooks/remove.ts'
import { retryWebhookDelivery } from '../../notifications/webhooks/retry.ts'
import { rotateWebhookSecret } from '../../notifications/webhooks/rotate-secret.ts'
import { testWebhookEndpoint } from '../../notifications/webhooks/send-test.ts'
import { updateWebhookEndpoint } from '../../notifications/webhooks/update.ts'
import { createPublishedIncident } from '../../publishing/published-incidents/create.ts'
import { getPublishedIncident } from '../../publishing/published-incidents/get.ts'
import { listPublishedIncidents } from '../../publishing/published-incidents/list.ts'
import { postPublishedUpdate } from '../../publishing/published-incidents/post-update.ts'
import { deletePublishedIncident } from '../../publishing/published-incidents/remove.ts'
import { removeMonitorFromPublishedIncidents } from '../../publishing/published-incidents/remove-monitor.ts'
import { updatePublishedIncident } from '../../publishing/published-incidents/update.ts'
import { createStatusPage } from '../../publishing/status-pages/create.ts'
import { getStatusPage } from '../../publishing/status-pages/get.ts'
import { listStatusPages } from '../../publishing/status-pages/list.ts'
import { deleteStatusPage } from '../../publishing/status-pages/remove.ts'
import { removeMonitorFromPages } from '../../publishing/status-pages/remove-monitor.ts'
import { updateStatusPage } from '../../publishing/status-pages/update.ts'
import { listWebhookEventTypes } from './webhook-events/list.ts'

/** Removes what refers to a deleted monitor. */
export const onMonitorDeleted = [
  removeMonitorFromPages,
  removeMonitorFromPublishedIncidents,
  removeMonitorFromWindows,
  removeMonitorFromIncidents,
]

/** Every operation of the public API, in the order of the specification; extensions follow. */
export const operations: readonly Operation[] = [
  listMonitors,
  createMonitor,
  getMonitor,
  updateMonitor,
  deleteMonitor(onMonitorDeleted),
  pauseMonitor,
  resumeMonitor,
  checkMonitor,
  listIncidents,
  getIncident,
  acknowledgeIncident,
  listStatusPages,
  createStatusPage,
  getStatusPage,
  updateStatusPage,
  deleteStatusPage,
  listMaintenanceWindows,
  createMaintenanceWindow,
  getMaintenanceWindow,
  updateMaintenanceWindow,
  deleteMaintenanceWindow,
  listPublishedIncidents,
  createPublishedIncident,
  getPublishedIncident,
  updatePublishedIncident,
  deletePublishedIncident,
  postPublishedUpdate,
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
  // Extensions: insight.
  getUptime,
  getResponseTimes,
  listChecks,
  listHeartbeats,
  tryMonitor,
  getUsage,
  listAuditLog,
  listWebhookEventTypes,
  getMonitorMetrics,
]
