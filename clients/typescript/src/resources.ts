import { act, find, get, list, patch, post, remove } from './endpoint.ts'

/** A check may take timeoutSeconds (60 at most) and 15 s. */
const CHECK_TIMEOUT_MS = 90_000

/**
 * Every operation of the API, by the name of its method. The client's methods and the commands of `pharos` come from this table;
 * a test compares it with the operations of the server.
 */
export const resources = {
  monitors: {
    /** Lists monitors in order of creation. */
    list: list('/monitors'),
    /** Creates a monitor. It is PENDING until its first check, which follows immediately. */
    create: post('/monitors'),
    get: get('/monitors/{monitorId}'),
    /** Changes the given fields. The result is validated as a whole. */
    update: patch('/monitors/{monitorId}'),
    /** Deletes a monitor with its history and incidents. */
    delete: remove('/monitors/{monitorId}'),
    /** Stops checks and alerts until the monitor is resumed. */
    pause: act('/monitors/{monitorId}/pause'),
    /** Resumes a paused monitor. It is PENDING until its next check, which follows immediately. */
    resume: act('/monitors/{monitorId}/resume'),
    /** Runs a check now and returns the monitor with its result. */
    check: act('/monitors/{monitorId}/check', CHECK_TIMEOUT_MS),
    /** Runs one check of the given settings and saves nothing. */
    try: post('/monitors/try', CHECK_TIMEOUT_MS),
    /** Returns the uptime of 24 hours, 7, 30, 90 and 365 days, of one of them, or from `from` to `to`. */
    uptime: find('/monitors/{monitorId}/uptime'),
    /** Returns response times and uptime by hour, or by day for more than 7 days. */
    responseTimes: find('/monitors/{monitorId}/response-times'),
    /** Lists stored check results, newest first, with the reasons of failures. */
    checks: list('/monitors/{monitorId}/checks'),
    /** Lists the signals of a CRON monitor, newest first. */
    heartbeats: list('/monitors/{monitorId}/heartbeats'),
  },
  incidents: {
    /** Lists detected outages, newest first. */
    list: list('/incidents'),
    get: get('/incidents/{incidentId}'),
    /** Records that somebody takes care of the incident. */
    acknowledge: act('/incidents/{incidentId}/acknowledge'),
  },
  statusPages: {
    list: list('/status-pages'),
    create: post('/status-pages'),
    get: get('/status-pages/{statusPageId}'),
    /** Changes the given fields. Lists, such as the sections, are replaced as a whole. */
    update: patch('/status-pages/{statusPageId}'),
    delete: remove('/status-pages/{statusPageId}'),
  },
  maintenanceWindows: {
    list: list('/maintenance-windows'),
    create: post('/maintenance-windows'),
    get: get('/maintenance-windows/{maintenanceId}'),
    /** Changes the given fields. Lists, such as the monitors, are replaced as a whole. */
    update: patch('/maintenance-windows/{maintenanceId}'),
    delete: remove('/maintenance-windows/{maintenanceId}'),
  },
  publishedIncidents: {
    /** Lists the incidents that were published on status pages. */
    list: list('/status-incidents'),
    /** Publishes an incident. Subscribers are notified unless `notifySubscribers` is false. */
    create: post('/status-incidents'),
    get: get('/status-incidents/{statusIncidentId}'),
    /** Edits an incident. Subscribers are not notified unless `notifySubscribers` is true. */
    update: patch('/status-incidents/{statusIncidentId}'),
    delete: remove('/status-incidents/{statusIncidentId}'),
    /** Posts an update. Subscribers are notified unless `notifySubscribers` is false. */
    postUpdate: post('/status-incidents/{statusIncidentId}/updates'),
  },
  webhookEndpoints: {
    list: list('/webhook-endpoints'),
    /** Creates an endpoint. The signing secret is in this response only. */
    create: post('/webhook-endpoints'),
    get: get('/webhook-endpoints/{endpointId}'),
    update: patch('/webhook-endpoints/{endpointId}'),
    delete: remove('/webhook-endpoints/{endpointId}'),
    /** Replaces the signing secret, which is in this response only. Both secrets sign for 24 hours. */
    rotateSecret: act('/webhook-endpoints/{endpointId}/rotate-secret'),
    /** Sends a test event and returns its delivery. */
    test: act('/webhook-endpoints/{endpointId}/test'),
  },
  webhookDeliveries: {
    /** Lists deliveries, newest first. */
    list: list('/webhook-deliveries'),
    /** Returns a delivery with its event and attempts. */
    get: get('/webhook-deliveries/{deliveryId}'),
    /** Sends a delivery again. */
    retry: act('/webhook-deliveries/{deliveryId}/retry'),
  },
  webhookEvents: {
    /** Lists the event types, with an example of each. */
    list: list('/webhook-events'),
  },
  usage: {
    /** Returns the plan and how much of it is used. */
    get: get('/usage'),
  },
  auditLog: {
    /** Lists changes, newest first. */
    list: list('/audit-log'),
  },
  metrics: {
    /** Returns the metrics of all monitors in the text format of Prometheus. */
    monitors: get('/metrics/monitors'),
  },
} as const
