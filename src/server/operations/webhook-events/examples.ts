import { defaultSettings } from '../../../monitoring/monitor-settings/schema.ts'
import { definitions } from '../../../monitoring/monitor-types/definitions.ts'

/** Example resources for the documentation of webhook events. */

const { name, ...settings } = definitions.HTTP.example

export const monitor = {
  id: 'mon_019a8c5e7d4070008f3c2b9a61d0e7f5',
  name,
  type: 'HTTP',
  ...defaultSettings,
  ...settings,
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-01T08:00:00.000Z',
  heartbeatUrl: null,
  state: 'UP',
  lastCheckedAt: '2026-03-02T09:30:00.000Z',
  lastStatusChangedAt: '2026-03-01T08:00:01.250Z',
  lastResponseMs: 142,
  certExpiresAt: '2026-05-20T12:00:00.000Z',
}

export const newMonitor = {
  ...monitor,
  state: 'PENDING',
  lastCheckedAt: null,
  lastStatusChangedAt: null,
  lastResponseMs: null,
  certExpiresAt: null,
}

export const dnsMonitor = { ...monitor, name: 'Name servers', type: 'DNS', url: 'shop.example', certExpiresAt: null }

export const domainMonitor = {
  ...monitor,
  name: 'Registration',
  type: 'DOMAIN',
  url: 'shop.example',
  state: 'DEGRADED',
  lastResponseMs: null,
  certExpiresAt: '2026-03-10T00:00:00.000Z',
}

const failure = {
  at: '2026-03-02T09:31:00.000Z',
  statusCode: 503,
  responseMs: 87,
  error: 'HTTP 503 Service Unavailable (expected 200 or 204)',
  ip: '203.0.113.20',
  excerpt: '{"status":"unavailable"}',
}

const opened = { at: '2026-03-02T09:31:00.000Z', type: 'OPENED', message: failure.error }

export const openIncident = {
  id: 'inc_019a8c60b1a870008e5d4c3b2a190807',
  monitor: { id: monitor.id, name: monitor.name, type: monitor.type },
  startedAt: '2026-03-02T09:31:00.000Z',
  resolvedAt: null,
  durationSec: null,
  cause: failure.error,
  acknowledged: false,
  acknowledgedAt: null,
  acknowledgedBy: null,
  causeCode: 'STATUS',
  failedChecks: 1,
  firstFailure: failure,
  lastFailure: failure,
  timeline: [opened],
}

const acknowledged = {
  at: '2026-03-02T09:33:10.000Z',
  type: 'ACKNOWLEDGED',
  message: 'Acknowledged with the API key "on-call"',
}

export const acknowledgedIncident = {
  ...openIncident,
  acknowledged: true,
  acknowledgedAt: acknowledged.at,
  acknowledgedBy: { type: 'API_KEY', name: 'on-call' },
  timeline: [opened, acknowledged],
}

export const resolvedIncident = {
  ...acknowledgedIncident,
  resolvedAt: '2026-03-02T09:41:00.000Z',
  durationSec: 600,
  failedChecks: 10,
  lastFailure: { ...failure, at: '2026-03-02T09:40:00.000Z' },
  timeline: [opened, acknowledged, { at: '2026-03-02T09:41:00.000Z', type: 'RESOLVED', message: 'Check succeeded' }],
}

const affectedMonitors = [{ monitorId: monitor.id, status: 'PARTIAL_OUTAGE' }]

const firstUpdate = {
  id: 'upd_019a8c6100007000a1b2c3d4e5f60718',
  status: 'INVESTIGATING',
  message: 'Some orders cannot be completed. We are looking into it.',
  affectedMonitors,
  publishedAt: '2026-03-02T09:35:00.000Z',
  createdAt: '2026-03-02T09:35:00.000Z',
}

export const publishedIncident = {
  id: 'sinc_019a8c6100007000b0a190807f6e5d4c',
  title: 'Orders fail at checkout',
  status: 'INVESTIGATING',
  impact: 'MAJOR',
  statusPageIds: ['page_019a8c5f00007000c0ffee0123456789'],
  affectedMonitors,
  incidentId: openIncident.id,
  startedAt: '2026-03-02T09:31:00.000Z',
  resolvedAt: null,
  postmortem: null,
  updates: [firstUpdate],
  createdAt: '2026-03-02T09:35:00.000Z',
  updatedAt: '2026-03-02T09:35:00.000Z',
}

const secondUpdate = {
  ...firstUpdate,
  id: 'upd_019a8c6300007000a1b2c3d4e5f60719',
  status: 'MONITORING',
  message: 'A fix is in place.',
  publishedAt: '2026-03-02T09:42:00.000Z',
  createdAt: '2026-03-02T09:42:00.000Z',
}

export const updatedPublishedIncident = {
  ...publishedIncident,
  status: 'MONITORING',
  updates: [secondUpdate, firstUpdate],
  updatedAt: '2026-03-02T09:42:00.000Z',
}

const operational = [{ monitorId: monitor.id, status: 'OPERATIONAL' }]

export const resolvedPublishedIncident = {
  ...updatedPublishedIncident,
  status: 'RESOLVED',
  affectedMonitors: operational,
  resolvedAt: '2026-03-02T10:00:00.000Z',
  updates: [
    {
      ...secondUpdate,
      id: 'upd_019a8c6500007000a1b2c3d4e5f6071a',
      status: 'RESOLVED',
      message: 'Everything works again.',
      affectedMonitors: operational,
      publishedAt: '2026-03-02T10:00:00.000Z',
      createdAt: '2026-03-02T10:00:00.000Z',
    },
    ...updatedPublishedIncident.updates,
  ],
  updatedAt: '2026-03-02T10:00:00.000Z',
}

const occurrence = { startsAt: '2026-03-07T02:00:00.000Z', endsAt: '2026-03-07T03:00:00.000Z' }

export const maintenance = {
  id: 'mw_019a8c5f00007000d00dfeed01234567',
  name: 'Database upgrade',
  description: 'The shop is read-only for an hour.',
  ...occurrence,
  timezone: 'Europe/Berlin',
  recurrence: 'NONE',
  recurrenceInterval: 1,
  daysOfWeek: [],
  daysOfMonth: [],
  recurrenceEndsAt: null,
  monitorIds: [monitor.id],
  allMonitors: false,
  statusPageIds: [],
  status: 'SCHEDULED',
  currentOccurrence: null,
  nextOccurrence: occurrence,
  createdAt: '2026-03-02T08:00:00.000Z',
  updatedAt: '2026-03-02T08:00:00.000Z',
}

export const maintenanceUnderWay = {
  ...maintenance,
  status: 'IN_PROGRESS',
  currentOccurrence: occurrence,
  nextOccurrence: null,
}

export const maintenanceOver = { ...maintenance, status: 'COMPLETED', nextOccurrence: null }

export const endpoint = {
  id: 'we_019a8c5e00007000a0b0c0d0e0f01020',
  url: 'https://hooks.example/pharos',
  description: 'Chat',
  eventTypes: ['*'],
  enabled: true,
  disabledReason: null,
  previousSecretExpiresAt: null,
  lastDeliveryAt: '2026-03-02T09:41:00.300Z',
  createdAt: '2026-03-01T08:05:00.000Z',
  updatedAt: '2026-03-01T08:05:00.000Z',
}
