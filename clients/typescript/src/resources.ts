import { act, ensure, find, get, getText, list, patch, post, put, remove, upload } from './endpoint.ts'

/** A check may take timeoutSeconds (60 at most) and 15 s. */
const CHECK_TIMEOUT_MS = 90_000
/** A plan or its execution may have 20,000 changes. */
const CONFIGURATION_TIMEOUT_MS = 180_000
/** Up to 512 MiB are sent, and read for up to 60 s. */
const UPLOAD_TIMEOUT_MS = 1_800_000
/** A test message may take 60 s. */
const TEST_TIMEOUT_MS = 75_000

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
    /** Returns response times and uptime by hour, by day for more than 7 days, or by minute for a short range. */
    responseTimes: find('/monitors/{monitorId}/response-times'),
    /** Lists stored check results, newest first, with the reasons of failures. */
    checks: list('/monitors/{monitorId}/checks'),
    /** Lists the signals of a CRON monitor, newest first. */
    heartbeats: list('/monitors/{monitorId}/heartbeats'),
    /** Replaces the heartbeat URL of a CRON monitor. The old one stops working immediately. */
    rotateHeartbeatToken: act('/monitors/{monitorId}/heartbeat-token/rotate'),
    /** Returns what checks have found besides the state: certificate, registration, DNS records, schedule. */
    details: get('/monitors/{monitorId}/details'),
    /** Returns what the successful checks saw, and when it changed. */
    evidence: get('/monitors/{monitorId}/evidence'),
    /** Lists monitors with their statistics: filtered, sorted and grouped. */
    monitorList: list('/monitor-list'),
    getLabels: get('/monitors/{monitorId}/labels'),
    /** Replaces the labels of a monitor. */
    setLabels: put('/monitors/{monitorId}/labels'),
    getMute: get('/monitors/{monitorId}/mute'),
    /** Mutes the alerts of a monitor until a time. */
    mute: put('/monitors/{monitorId}/mute'),
    /** Ends the mute of a monitor. */
    unmute: remove('/monitors/{monitorId}/mute'),
    listMuted: list('/mutes'),
    getAssertions: get('/monitors/{monitorId}/assertions'),
    /** Replaces the assertions, which all responses must fulfil. */
    setAssertions: put('/monitors/{monitorId}/assertions'),
    removeAssertions: remove('/monitors/{monitorId}/assertions'),
    getRequest: get('/monitors/{monitorId}/request'),
    /** Replaces how requests are sent: credentials, client certificate, proxy, protocol, name resolution. */
    setRequest: put('/monitors/{monitorId}/request'),
    removeRequest: remove('/monitors/{monitorId}/request'),
    getDialogue: get('/monitors/{monitorId}/dialogue'),
    /** Replaces what is sent to a port, and what it must reply. */
    setDialogue: put('/monitors/{monitorId}/dialogue'),
    removeDialogue: remove('/monitors/{monitorId}/dialogue'),
    getSchedule: get('/monitors/{monitorId}/schedule'),
    /** Replaces the cron schedule of a CRON monitor. */
    setSchedule: put('/monitors/{monitorId}/schedule'),
    removeSchedule: remove('/monitors/{monitorId}/schedule'),
    getConfirmation: get('/monitors/{monitorId}/confirmation'),
    /** Replaces how failures and recoveries are confirmed. */
    setConfirmation: put('/monitors/{monitorId}/confirmation'),
    removeConfirmation: remove('/monitors/{monitorId}/confirmation'),
    getNotes: get('/monitors/{monitorId}/notes'),
    /** Replaces the notes for those who are alerted. */
    setNotes: put('/monitors/{monitorId}/notes'),
    removeNotes: remove('/monitors/{monitorId}/notes'),
    getLegacyAddress: get('/monitors/{monitorId}/legacy-address'),
    /** Replaces the address of another tool on which signals of a CRON monitor still count. */
    setLegacyAddress: put('/monitors/{monitorId}/legacy-address'),
    removeLegacyAddress: remove('/monitors/{monitorId}/legacy-address'),
    /** Returns the configuration document that manages it, or null. */
    source: get('/monitors/{monitorId}/source'),
    /** Pauses, resumes, checks, deletes, labels or mutes several monitors, by id or by selector. */
    bulkChange: post('/monitors/bulk'),
    /** Changes the interval and the contacts of several monitors, by id or by selector. */
    bulkUpdate: patch('/monitors/bulk'),
  },
  labels: {
    /** Lists the keys in use, each with its first values and the number of monitors. */
    list: list('/labels'),
    /** Lists the values of a label. */
    listValues: list('/labels/{labelKey}/values'),
  },
  incidents: {
    /** Lists detected outages, newest first. */
    list: list('/incidents'),
    get: get('/incidents/{incidentId}'),
    /** Records that somebody takes care of the incident. */
    acknowledge: act('/incidents/{incidentId}/acknowledge'),
    /** Returns who acknowledged the given incidents. */
    acknowledgements: find('/incidents/acknowledgements'),
    /** Returns why the checks of the given incidents fail now. */
    lastFailures: find('/incidents/last-failures'),
    /** Returns what changed before the incident. */
    evidence: get('/incidents/{incidentId}/evidence'),
    /** Returns who was alerted, and whether the messages arrived. */
    alerts: get('/incidents/{incidentId}/alerts'),
    /** Returns the published incidents that are linked to the incident. */
    published: get('/incidents/{incidentId}/status-incidents'),
    notes: get('/incidents/{incidentId}/notes'),
    /** Adds a note, which is not published. */
    addNote: post('/incidents/{incidentId}/notes'),
    /** Changes a note that was written with the same key. */
    updateNote: patch('/incidents/{incidentId}/notes/{noteId}'),
    deleteNote: remove('/incidents/{incidentId}/notes/{noteId}'),
  },
  statusPages: {
    list: list('/status-pages'),
    create: post('/status-pages'),
    get: get('/status-pages/{statusPageId}'),
    /** Changes the given fields. Lists, such as the sections, are replaced as a whole. */
    update: patch('/status-pages/{statusPageId}'),
    delete: remove('/status-pages/{statusPageId}'),
    /** Returns the state of the custom domain, and the DNS records that it needs. */
    domain: get('/status-pages/{statusPageId}/domain'),
    /** Looks the DNS records of the custom domain up now. */
    checkDomain: act('/status-pages/{statusPageId}/domain/check'),
    /** Lists subscribers, newest first. */
    subscribers: list('/status-pages/{statusPageId}/subscribers'),
    deleteSubscriber: remove('/status-pages/{statusPageId}/subscribers/{subscriberId}'),
    /** Returns the sections with their selectors. */
    getSelectors: get('/status-pages/{statusPageId}/selectors'),
    /** Sets the selectors of sections, which then also show the monitors that match. */
    setSelectors: put('/status-pages/{statusPageId}/selectors'),
    /** Returns the configuration document that manages it, or null. */
    source: get('/status-pages/{statusPageId}/source'),
    /** Uploads the logo: a PNG, JPEG, GIF or WebP image as base64. */
    setLogo: put('/status-pages/{statusPageId}/logo'),
  },
  maintenanceWindows: {
    list: list('/maintenance-windows'),
    create: post('/maintenance-windows'),
    get: get('/maintenance-windows/{maintenanceId}'),
    /** Changes the given fields. Lists, such as the monitors, are replaced as a whole. */
    update: patch('/maintenance-windows/{maintenanceId}'),
    delete: remove('/maintenance-windows/{maintenanceId}'),
    /** Returns the configuration document that manages it, or null. */
    source: get('/maintenance-windows/{maintenanceId}/source'),
    getSelector: get('/maintenance-windows/{maintenanceId}/selector'),
    /** Sets the selector of a window, which then also covers the monitors that match. */
    setSelector: put('/maintenance-windows/{maintenanceId}/selector'),
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
    /** Lists the open incidents whose monitors have all come up again. */
    outlived: get('/outlived-incidents'),
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
    /** Returns the configuration document that manages it, or null. */
    source: get('/webhook-endpoints/{endpointId}/source'),
    /** Sends a test event and returns its delivery. */
    test: act('/webhook-endpoints/{endpointId}/test'),
    /** Sends the failed deliveries since a time again, at most 500. */
    retryFailed: post('/webhook-endpoints/{endpointId}/retry-failed'),
    /** The enabled endpoints whose last attempt failed, with the error and the next attempt. */
    listFailing: list('/webhook-endpoints/failing'),
  },
  webhookDeliveries: {
    /** Lists deliveries, newest first. */
    list: list('/webhook-deliveries'),
    /** Returns a delivery with its event and attempts. */
    get: get('/webhook-deliveries/{deliveryId}'),
    /** Sends a delivery again. */
    retry: act('/webhook-deliveries/{deliveryId}/retry'),
    /** Returns the request as it is sent, without its signature. */
    getRequest: get('/webhook-deliveries/{deliveryId}/request'),
  },
  insight: {
    /** Returns how many monitors are in which state, and what needs attention. */
    overview: get('/overview'),
    /** Returns the state of all monitors, the most urgent first. */
    wallBoard: get('/wall-board'),
    /** Returns the monitors whose outages nobody would be alerted of. */
    alertCoverage: find('/alert-coverage'),
    /** Returns the uptime of a calendar month, per monitor and per value of a label. */
    uptimeReport: find('/uptime-report'),
  },
  contacts: {
    /** Lists contacts in order of creation. */
    list: list('/contacts'),
    /** Creates a contact. An e-mail address of somebody who is not a member has to be confirmed. */
    create: post('/contacts'),
    get: get('/contacts/{contactId}'),
    /** Changes the given fields. Omitted settings keep their values. */
    update: patch('/contacts/{contactId}'),
    /** Deletes a contact with its alert history. */
    delete: remove('/contacts/{contactId}'),
    /** Returns the configuration document that manages it, or null. */
    source: get('/contacts/{contactId}/source'),
    /** Sends a test message and returns whether it arrived. */
    test: act('/contacts/{contactId}/test', TEST_TIMEOUT_MS),
    enable: act('/contacts/{contactId}/enable'),
    /** Disables a contact. Alerts that are waiting are dropped. */
    disable: act('/contacts/{contactId}/disable'),
    /** Sends the confirmation e-mail again. */
    resendConfirmation: act('/contacts/{contactId}/confirmation'),
    /** Returns the channels and the JSON Schema of their settings. */
    channels: get('/contact-channels'),
    /** Lists the contacts of the organization, and whether each gets alerts of the monitor. */
    listForMonitor: list('/monitors/{monitorId}/contacts'),
    /** Sends alerts of the monitor to the contact. */
    attach: ensure('/monitors/{monitorId}/contacts/{contactId}'),
    /** Stops alerts of the monitor to the contact. */
    detach: remove('/monitors/{monitorId}/contacts/{contactId}'),
  },
  configuration: {
    /** Returns the resources of a source as a document. */
    get: find('/configuration'),
    /** Returns which sources manage resources, and how many. */
    sources: get('/configuration/sources'),
    /** Returns what applying a document would change. */
    plan: post('/configuration/plan', CONFIGURATION_TIMEOUT_MS),
    /** Makes the changes of a plan in one transaction. */
    apply: post('/configuration/apply', CONFIGURATION_TIMEOUT_MS),
    /** Enables the contacts that an import created disabled. */
    finishImport: post('/configuration/finish-import'),
    /** Imports hours and days that another tool has recorded. */
    importHistory: post('/configuration/history', CONFIGURATION_TIMEOUT_MS),
  },
  imports: {
    /** Lists imports, newest first. */
    list: list('/imports'),
    /** Uploads files of another tool, which are read. `get` returns what can be imported. Several files are one Blob: `new Blob([first, second])`. */
    create: upload('/imports', UPLOAD_TIMEOUT_MS),
    /** Returns what becomes of the objects of the files, by default of the first 1,000. */
    get: find('/imports/{importId}'),
    /** Returns what importing the chosen objects would change. */
    plan: post('/imports/{importId}/plan', CONFIGURATION_TIMEOUT_MS),
    /** Makes the changes of a plan in one transaction. */
    apply: post('/imports/{importId}/apply', CONFIGURATION_TIMEOUT_MS),
    /** Deletes the report. What was imported stays. */
    delete: remove('/imports/{importId}'),
  },
  shadowRuns: {
    /** Lists the comparisons with other tools, at most one of each tool. */
    list: find('/shadow-runs'),
    /** Starts to compare the verdicts of another tool with those of the monitors imported from it. */
    create: post('/shadow-runs'),
    get: get('/shadow-runs/{shadowRunId}'),
    /** Lists what the two disagree about, newest first. */
    disagreements: list('/shadow-runs/{shadowRunId}/disagreements'),
    /** Ends a run, and enables the imported contacts if wanted. */
    finish: post('/shadow-runs/{shadowRunId}/finish'),
    /** Deletes a run with what it found. */
    delete: remove('/shadow-runs/{shadowRunId}'),
  },
  webhookEvents: {
    /** Lists the event types, with an example of each. */
    list: list('/webhook-events'),
  },
  me: {
    /** Returns the key of the client, its organization, and the limits of the plan. */
    get: get('/me'),
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
    monitors: getText('/metrics/monitors'),
  },
} as const
