import { checkMonitor } from '../checks/now.ts'
import type { Operation } from '../contract/operation.ts'
import { acknowledgeIncident } from '../incidents/acknowledge.ts'
import { getIncident } from '../incidents/get.ts'
import { listIncidents } from '../incidents/list.ts'
import { createMaintenanceWindow } from '../maintenance/create.ts'
import { getMaintenanceWindow } from '../maintenance/get.ts'
import { listMaintenanceWindows } from '../maintenance/list.ts'
import { deleteMaintenanceWindow } from '../maintenance/remove.ts'
import { updateMaintenanceWindow } from '../maintenance/update.ts'
import { createMonitor } from '../monitors/create.ts'
import { getMonitor } from '../monitors/get.ts'
import { listMonitors } from '../monitors/list.ts'
import { pauseMonitor } from '../monitors/pause.ts'
import { deleteMonitor } from '../monitors/remove.ts'
import { resumeMonitor } from '../monitors/resume.ts'
import { updateMonitor } from '../monitors/update.ts'
import { createPublishedIncident } from '../publishedincidents/create.ts'
import { getPublishedIncident } from '../publishedincidents/get.ts'
import { listPublishedIncidents } from '../publishedincidents/list.ts'
import { postPublishedUpdate } from '../publishedincidents/post-update.ts'
import { deletePublishedIncident } from '../publishedincidents/remove.ts'
import { updatePublishedIncident } from '../publishedincidents/update.ts'
import { createStatusPage } from '../statuspages/create.ts'
import { getStatusPage } from '../statuspages/get.ts'
import { listStatusPages } from '../statuspages/list.ts'
import { deleteStatusPage } from '../statuspages/remove.ts'
import { updateStatusPage } from '../statuspages/update.ts'
import { createWebhookEndpoint } from '../webhooks/create.ts'
import { getWebhookEndpoint } from '../webhooks/get.ts'
import { getWebhookDelivery } from '../webhooks/get-delivery.ts'
import { listWebhookDeliveries } from '../webhooks/list-deliveries.ts'
import { listWebhookEndpoints } from '../webhooks/list-endpoints.ts'
import { deleteWebhookEndpoint } from '../webhooks/remove.ts'
import { retryWebhookDelivery } from '../webhooks/retry.ts'
import { rotateWebhookSecret } from '../webhooks/rotate-secret.ts'
import { testWebhookEndpoint } from '../webhooks/test.ts'
import { updateWebhookEndpoint } from '../webhooks/update.ts'

/** Every operation of the public API, in the order of the specification. */
export const operations: readonly Operation[] = [
  listMonitors,
  createMonitor,
  getMonitor,
  updateMonitor,
  deleteMonitor,
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
]
