import type { Operation } from '../../contract/operation.ts'
import { checkMonitor } from '../../monitoring/checks/check-now.ts'
import { acknowledgeIncident } from '../../monitoring/incidents/acknowledge.ts'
import { getIncident } from '../../monitoring/incidents/get.ts'
import { listIncidents } from '../../monitoring/incidents/list.ts'
import { removeMonitorFromIncidents } from '../../monitoring/incidents/remove-monitor.ts'
import { listLabels, listLabelValues } from '../../monitoring/labels/list.ts'
import { removeLabelsOfMonitor } from '../../monitoring/labels/remove-monitor.ts'
import type { LabelListener } from '../../monitoring/labels/save.ts'
import { createMaintenanceWindow } from '../../monitoring/maintenance/create.ts'
import { getMaintenanceWindow } from '../../monitoring/maintenance/get.ts'
import { listMaintenanceWindows } from '../../monitoring/maintenance/list.ts'
import { deleteMaintenanceWindow } from '../../monitoring/maintenance/remove.ts'
import { removeMonitorFromWindows } from '../../monitoring/maintenance/remove-monitor.ts'
import {
  followLabelsInWindows,
  getMaintenanceSelector,
  setMaintenanceSelector,
} from '../../monitoring/maintenance/selector.ts'
import { updateMaintenanceWindow } from '../../monitoring/maintenance/update.ts'
import { changeMonitors } from '../../monitoring/monitors/change-several.ts'
import { createMonitor } from '../../monitoring/monitors/create.ts'
import { getMonitor } from '../../monitoring/monitors/get.ts'
import { getMonitorLabels, setMonitorLabels } from '../../monitoring/monitors/labels.ts'
import { listMonitors } from '../../monitoring/monitors/list.ts'
import { pauseMonitor } from '../../monitoring/monitors/pause.ts'
import { deleteMonitor } from '../../monitoring/monitors/remove.ts'
import { resumeMonitor } from '../../monitoring/monitors/resume.ts'
import { updateMonitor } from '../../monitoring/monitors/update.ts'
import { updateMonitors } from '../../monitoring/monitors/update-several.ts'
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
import {
  followLabelsOnPages,
  getStatusPageSelectors,
  setStatusPageSelectors,
} from '../../publishing/status-pages/selectors.ts'
import { updateStatusPage } from '../../publishing/status-pages/update.ts'

/** Removes what refers to a deleted monitor. */
const onMonitorDeleted = [
  removeMonitorFromPages,
  removeMonitorFromPublishedIncidents,
  removeMonitorFromWindows,
  removeMonitorFromIncidents,
  removeLabelsOfMonitor,
]

/** What follows the labels of monitors. */
const onLabelsChanged: readonly LabelListener[] = [followLabelsInWindows, followLabelsOnPages]

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
  getMonitorLabels,
  setMonitorLabels(onLabelsChanged),
  listLabels,
  listLabelValues,
  changeMonitors(onMonitorDeleted, onLabelsChanged),
  updateMonitors,
  getMaintenanceSelector,
  setMaintenanceSelector,
  getStatusPageSelectors,
  setStatusPageSelectors,
]
