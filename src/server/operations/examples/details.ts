import { contact } from './contacts.ts'
import { deleted, type OperationExample, pageOf } from './operation-example.ts'
import * as r from './resources.ts'

const { id: contactId, name: contactName, channel } = contact
const { id: monitorId, name, type } = r.monitor

const reason = 'HTTP 503 Service Unavailable (expected 2xx or 3xx)'

const alert = {
  contact: { id: contactId, name: contactName, channel, problem: null },
  kind: 'OPENED',
  status: 'SENT',
  queuedAt: '2026-03-02T09:31:00.000Z',
  settledAt: '2026-03-02T09:31:05.400Z',
  attemptCount: 1,
  nextAttemptAt: null,
  error: null,
}

const note = {
  id: 'note_019a8c61000070008a9b0c1d2e3f4a01',
  author: { type: 'API_KEY', id: 'key_019a8c5c000070008a9b0c1d2e3f4a77', name: 'deploy' },
  body: 'The release of 09:30 was rolled back.',
  createdAt: '2026-03-02T09:36:00.000Z',
  editedAt: null,
}

const domain = {
  domain: r.statusPage.customDomain,
  state: 'VERIFIED',
  isServed: true,
  records: [{ purpose: 'ADDRESS', type: 'CNAME', name: r.statusPage.customDomain, value: 'pharos.example' }],
  verifiedAt: '2026-03-01T08:15:00.000Z',
  checkedAt: '2026-03-02T08:15:00.000Z',
  failingSince: null,
  servedUntil: null,
  expiresAt: null,
  found: [],
  checkError: null,
  lost: null,
  dns: null,
}

const subscriber = {
  id: 'sub_019a8c5f500070008a9b0c1d2e3f4a02',
  kind: 'EMAIL',
  address: 'reader@customer.example',
  state: 'CONFIRMED',
  failingSince: null,
  lastError: null,
  createdAt: '2026-03-01T10:00:00.000Z',
  confirmedAt: '2026-03-01T10:02:00.000Z',
}

const counts = { up: 11, degraded: 0, down: 1, paused: 1, pending: 0, total: 13 }
const since = '2026-03-02T09:31:00.000Z'

const listedMonitor = {
  id: monitorId,
  name,
  type,
  state: 'DOWN',
  inMaintenance: false,
  target: 'https://shop.example/health',
  intervalSeconds: 60,
  lastCheckedAt: '2026-03-02T09:35:00.000Z',
  lastStatusChangedAt: since,
  lastResponseMs: 184,
  uptime30d: 0.99982,
  labels: { env: 'prod', team: 'payments' },
  hours: 'UUUUUUUUUUUUUUUUUUUUUUGD',
  cause: reason,
}

const certificate = {
  subject: 'CN=shop.example',
  issuer: 'CN=R11, O=Example CA',
  names: ['shop.example', 'www.shop.example'],
  nameCount: 2,
  serial: '04A1B2C3D4E5F60718293A4B5C6D7E8F9001',
  fingerprint: '5F:9A:11:0B:6C:7D:8E:9F:A0:B1:C2:D3:E4:F5:06:17:28:39:4A:5B:6C:7D:8E:9F:A0:B1:C2:D3:E4:F5:06:17',
  validFrom: '2026-01-20T00:00:00.000Z',
  validTo: '2026-04-20T00:00:00.000Z',
  protocol: 'TLSv1.3',
  chain: [{ subject: 'CN=R11, O=Example CA', issuer: 'CN=Root X1', validTo: '2027-03-12T00:00:00.000Z' }],
}

const monitors = {
  getOverview: {
    answer: {
      counts,
      longestDown: { id: monitorId, name, since },
      slowest: [{ id: monitorId, name, type, p95Ms: 412 }],
      expiring: [{ id: monitorId, name, kind: 'CERTIFICATE', expiresAt: certificate.validTo }],
    },
  },
  getWallBoard: {
    answer: {
      data: [{ id: monitorId, name, state: 'DOWN', inMaintenance: false, since, reason, lastResponseMs: 184 }],
      counts: { ...counts, maintenance: 0 },
    },
  },
  getMonitorList: {
    query: { state: 'DOWN', sort: 'name' },
    answer: {
      ...pageOf(listedMonitor),
      counts: { ...counts, maintenance: 0 },
      groups: [],
    },
  },
  getAlertCoverage: {
    answer: { uncovered: 1, monitors: [{ id: monitorId, name }], contacts: 'USABLE', failing: [] },
  },
  getMonitorDetails: {
    answer: { seenAt: '2026-03-02T09:30:00.000Z', certificate, domain: null, dns: null, schedule: null },
  },
}

/** By the id of the operation. */
export const detailExamples: Readonly<Record<string, OperationExample>> = {
  ...monitors,
  getMonitorEvidence: {
    answer: {
      lastGood: { address: '192.0.2.10', network: '192.0.2.0/24', tlsVersion: 'TLSv1.3', status: '200', title: 'Shop' },
      changes: [{ at: '2026-03-01T09:12:00.000Z', field: 'server', before: 'nginx/1.24.0', after: 'nginx/1.26.1' }],
      volatile: ['text'],
    },
  },
  getIncidentEvidence: {
    answer: {
      lastGood: { at: '2026-03-01T09:29:00.000Z', fields: { status: '200', issuer: 'R10', title: 'Shop' } },
      firstFailure: {
        at: '2026-03-01T09:30:00.000Z',
        causeCode: 'STATUS',
        error: reason,
        fields: { status: '503', issuer: 'R11', title: 'Service Unavailable' },
      },
      changes: [
        { field: 'issuer', before: 'R10', after: 'R11', changedAt: '2026-03-01T09:30:00.000Z', rarity: 0 },
        { field: 'status', before: '200', after: '503', changedAt: '2026-03-01T09:30:00.000Z', rarity: 0 },
      ],
      phases: { tlsMs: { typicalMs: 20, failedMs: 22 }, firstByteMs: { typicalMs: 61, failedMs: 58 } },
      summary: ['The issuer of the certificate changed from "R10" to "R11".', 'Nothing else changed.'],
    },
  },
  listIncidentAlerts: { answer: { data: [alert] } },
  listIncidentNotes: { answer: { data: [note] } },
  createIncidentNote: { body: { body: note.body }, answer: note },
  updateIncidentNote: {
    body: { body: 'The release of 09:30 was rolled back at 09:40.' },
    answer: {
      ...note,
      body: 'The release of 09:30 was rolled back at 09:40.',
      editedAt: '2026-03-02T09:41:00.000Z',
    },
  },
  deleteIncidentNote: deleted(note.id),
  listIncidentPublications: { answer: { data: [r.publishedIncident] } },
  listOutlivedIncidents: {
    answer: {
      data: [
        {
          id: r.publishedIncident.id,
          title: r.publishedIncident.title,
          upSince: '2026-03-02T09:44:00.000Z',
          monitors: [{ id: r.monitor.id, name: r.monitor.name }],
        },
      ],
    },
  },
  getDomain: { answer: domain },
  checkDomain: {
    answer: {
      ...domain,
      checkedAt: '2026-03-02T09:45:00.000Z',
      dns: {
        cname: 'pharos.example',
        addresses: ['203.0.113.20'],
        pointsHere: true,
        message: 'The domain points to this installation',
      },
    },
  },
  listSubscribers: {
    query: { state: 'CONFIRMED' },
    answer: {
      ...pageOf(subscriber),
      counts: [{ kind: 'EMAIL', state: 'CONFIRMED', total: 1 }],
    },
  },
  deleteSubscriber: deleted(subscriber.id),
  listAcknowledgements: {
    query: { incidentIds: r.openIncident.id },
    answer: {
      data: [
        {
          incidentId: r.openIncident.id,
          acknowledgedAt: '2026-03-02T09:33:00.000Z',
          acknowledgedBy: { type: 'USER', name: 'Ada' },
        },
      ],
    },
  },
  listLastFailures: {
    query: { incidentIds: r.openIncident.id },
    answer: { data: [{ incidentId: r.openIncident.id, at: '2026-03-02T09:40:00.000Z', error: reason }] },
  },
  listFailingWebhookEndpoints: {
    answer: pageOf({
      endpointId: r.endpoint.id,
      failingSince: '2026-03-02T09:31:00.000Z',
      lastAttemptAt: '2026-03-02T09:36:05.000Z',
      error: 'STATUS',
      responseStatus: 500,
      nextAttemptAt: '2026-03-02T10:06:05.000Z',
    }),
  },
  retryFailedDeliveries: { body: { since: '2026-03-02T00:00:00Z' }, answer: { retried: 3, more: false } },
  getDeliveryRequest: {
    answer: {
      url: r.endpoint.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Pharos/1 (webhooks)',
        'webhook-id': r.delivery.eventId,
        'webhook-timestamp': '1772443860',
      },
      body: JSON.stringify(r.deliveryDetail.payload),
    },
  },
}

export const noteId = note.id
export const subscriberId = subscriber.id
