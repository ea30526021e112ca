import { catalogue, exampleOf } from '../webhook-events/catalogue.ts'
import { type OperationExample, pageOf } from './operation-example.ts'
import { monitor } from './resources.ts'

const day = {
  uptime: 0.9979,
  upMs: 86_218_560,
  degradedMs: 240_000,
  downMs: 181_440,
  pausedMs: 0,
  maintenanceMs: 0,
  checks: 1440,
  failures: 3,
  p50Ms: 118,
  p95Ms: 241,
}

const noUnknownTime = { unknownMs: 0, unknownReasons: [], uptimeAtLeast: 0.9979, uptimeAtMost: 0.9979 }

const hour = { ...day, uptime: 1, upMs: 3_600_000, degradedMs: 0, downMs: 0, checks: 60, failures: 0, unknownMs: 0 }

const month = { uptime: 0.9995, upMs: 2_673_061_200, downMs: 1_338_800, pausedMs: 0, maintenanceMs: 0, unknownMs: 0 }

/** Examples of the operations on statistics, usage and the audit log. */
export const insight: Readonly<Record<string, OperationExample>> = {
  getUptime: { query: { span: '24h' }, answer: { data: [{ span: '24h', ...day, ...noUnknownTime }] } },
  getResponseTimes: {
    query: { span: '24h' },
    answer: {
      span: '24h',
      stepSeconds: 3600,
      points: [
        { startAt: '2026-03-02T08:00:00.000Z', ...hour },
        { startAt: '2026-03-02T09:00:00.000Z', ...hour, p50Ms: 121, p95Ms: 255 },
      ],
    },
  },
  getUptimeReport: {
    query: { month: '2026-03', groupBy: 'team' },
    answer: {
      month: '2026-03',
      timezone: 'Europe/Berlin',
      from: '2026-02-28T23:00:00.000Z',
      to: '2026-03-31T22:00:00.000Z',
      ...pageOf({ id: monitor.id, name: monitor.name, labels: { team: 'payments' }, ...month }),
      groups: [{ value: 'payments', monitors: 1, ...month }],
    },
  },
  listChecks: {
    query: { state: 'DOWN', from: '2026-03-01T00:00:00Z' },
    answer: pageOf({
      at: '2026-03-02T09:29:30.000Z',
      state: 'DOWN',
      responseMs: 84,
      location: 'home',
      error: 'HTTP 503 Service Unavailable (expected 200 or 204)',
      causeCode: 'STATUS',
    }),
  },
  listHeartbeats: {
    query: { limit: 25 },
    answer: pageOf({
      at: '2026-03-02T03:04:12.000Z',
      signal: 'EXIT',
      exitCode: 0,
      rid: 'nightly-42',
      durationMs: 184_220,
      body: '1,204 files saved',
    }),
  },
  tryMonitor: {
    body: { name: 'Checkout', type: 'HTTP', url: 'https://shop.example/health' },
    answer: {
      outcome: 'SUCCESS',
      responseMs: 118,
      timings: { dnsMs: 3.1, connectMs: 18.4, tlsMs: 36.2, firstByteMs: 58.9 },
      statusCode: 200,
      ip: '203.0.113.20',
      certificateExpiresAt: monitor.certExpiresAt,
      records: null,
      causeCode: null,
      error: null,
      excerpt: null,
      degraded: null,
      assertions: null,
      body: null,
    },
  },
  getCurrentKey: {
    answer: {
      key: {
        id: 'key_019a8c5d000070008a9b0c1d2e3f4051',
        name: 'Deployment',
        hint: '9xQ2',
        access: 'FULL',
        expiresAt: '2027-03-02T00:00:00.000Z',
      },
      organization: { id: 'org_019a8c5c000070008a9b0c1d2e3f4050', slug: 'acme', name: 'Acme' },
      plan: 'STARTER',
      limits: {
        monitors: 50,
        statusPages: 3,
        webhookEndpoints: 5,
        publishedIncidents: 500,
        maintenanceWindows: 100,
        fastestIntervalSeconds: 60,
        rawResultsDays: 90,
      },
    },
  },
  getUsage: {
    answer: {
      plan: 'STARTER',
      subscription: 'ACTIVE',
      fastestIntervalSeconds: 60,
      rawResultsDays: 90,
      monitors: { used: 12, limit: 50 },
      statusPages: { used: 1, limit: 3 },
      webhookEndpoints: { used: 1, limit: 5 },
      publishedIncidents: { used: 4, limit: 500 },
      maintenanceWindows: { used: 2, limit: 100 },
    },
  },
  listAuditLog: {
    query: { target: monitor.id },
    answer: pageOf({
      id: 'aud_019a8c60b1a870009d8c7b6a59483726',
      at: '2026-03-02T09:30:30.000Z',
      actor: { type: 'API_KEY', id: 'key_019a8c5d000070008a9b0c1d2e3f4051', name: 'Deployment' },
      action: 'updateMonitor',
      target: monitor.id,
      targetName: monitor.name,
      fields: ['name', 'intervalSeconds'],
      requestId: 'req_019a8c60b1a870009d8c7b6a59483727',
    }),
  },
  getMonitorMetrics: {
    answer:
      '# HELP pharos_monitor_up Whether the monitor is up: 1 for UP and DEGRADED, 0 for DOWN; absent while it is pending or paused\n' +
      '# TYPE pharos_monitor_up gauge\n' +
      `pharos_monitor_up{id="${monitor.id}",name="${monitor.name}",type="${monitor.type}"} 1\n`,
  },
  listWebhookEventTypes: {
    query: { limit: 25 },
    answer: pageOf({
      type: 'incident.opened',
      description: catalogue['incident.opened'].sentence,
      example: exampleOf('incident.opened'),
    }),
  },
}
