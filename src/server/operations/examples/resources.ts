import { endpoint, maintenance, monitor, openIncident, publishedIncident } from '../webhook-events/examples.ts'

export * from '../webhook-events/examples.ts'

const { id, monitor: failedMonitor, startedAt, resolvedAt, durationSec, cause, acknowledged } = openIncident

/** As lists have it. */
export const listedIncident = { id, monitor: failedMonitor, startedAt, resolvedAt, durationSec, cause, acknowledged }

export const statusPage = {
  id: publishedIncident.statusPageIds[0] as string,
  name: 'Shop status',
  slug: 'shop',
  url: 'https://pharos.example/status/shop',
  customDomain: 'status.shop.example',
  description: 'Current status of the shop and its checkout.',
  published: true,
  visibility: 'PUBLIC',
  passwordSet: false,
  logoUrl: 'https://shop.example/logo.svg',
  faviconUrl: null,
  homepageUrl: 'https://shop.example',
  contactUrl: null,
  theme: 'SYSTEM',
  accentColor: '#0b6bcb',
  locale: 'en',
  timezone: 'Europe/Berlin',
  historyDays: 90,
  showUptime: true,
  showResponseTimes: false,
  hideFromSearch: false,
  subscribersEnabled: true,
  sections: [{ name: 'Website', monitors: [{ monitorId: monitor.id, displayName: 'Checkout' }] }],
  overallStatus: 'OPERATIONAL',
  createdAt: '2026-03-01T08:10:00.000Z',
  updatedAt: '2026-03-01T08:10:00.000Z',
}

/** A recurring window. */
export const weeklyMaintenance = {
  ...maintenance,
  id: 'mw_019a8c5f00007000d00dfeed01234568',
  name: 'Weekly backup',
  description: null,
  startsAt: '2026-03-08T01:00:00.000Z',
  endsAt: '2026-03-08T01:30:00.000Z',
  recurrence: 'WEEKLY',
  daysOfWeek: [7],
  monitorIds: [],
  allMonitors: true,
  nextOccurrence: { startsAt: '2026-03-08T01:00:00.000Z', endsAt: '2026-03-08T01:30:00.000Z' },
}

export const delivery = {
  id: 'dlv_019a8c60b1a870007d6c5b4a39281706',
  endpointId: endpoint.id,
  eventId: 'evt_019a8c60b1a870009d8c7b6a59483726',
  eventType: 'incident.opened',
  status: 'SUCCEEDED',
  attemptCount: 1,
  maxAttempts: 8,
  nextAttemptAt: null,
  lastResponseStatus: 204,
  createdAt: '2026-03-02T09:31:00.000Z',
  completedAt: '2026-03-02T09:31:00.300Z',
}

const attempt = {
  id: 'att_019a8c60b1a87000615243342516078f',
  number: 1,
  trigger: 'SCHEDULED',
  startedAt: '2026-03-02T09:31:00.012Z',
  durationMs: 288,
  outcome: 'SUCCEEDED',
  responseStatus: 204,
  responseBody: '',
  error: null,
}

export const deliveryDetail = {
  ...delivery,
  payload: { id: delivery.eventId, type: delivery.eventType, timestamp: delivery.createdAt, data: openIncident },
  attempts: [attempt],
}

export const pendingTest = {
  ...delivery,
  id: 'dlv_019a8c70000070007d6c5b4a39281707',
  eventId: 'evt_019a8c70000070009d8c7b6a59483727',
  eventType: 'webhook.test',
  status: 'PENDING',
  attemptCount: 0,
  nextAttemptAt: '2026-03-02T09:48:00.000Z',
  lastResponseStatus: null,
  createdAt: '2026-03-02T09:48:00.000Z',
  completedAt: null,
  payload: {
    id: 'evt_019a8c70000070009d8c7b6a59483727',
    type: 'webhook.test',
    timestamp: '2026-03-02T09:48:00.000Z',
    data: endpoint,
  },
  attempts: [],
}

/** Not a real secret: the base64 of "an example, not a real secret". */
export const signingSecret = 'whsec_YW4gZXhhbXBsZSwgbm90IGEgcmVhbCBzZWNyZXQ='
