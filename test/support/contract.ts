import type { Answer, Client } from './server.ts'

/** The specification, written a second time by hand: tests must not take their expectations from the code. */

export const monitorTypes = ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'] as const

export const eventTypes = [
  ...['incident.opened', 'incident.acknowledged', 'incident.resolved'],
  ...['status_incident.published', 'status_incident.updated', 'status_incident.update_posted'],
  ...['status_incident.resolved', 'monitor.created', 'monitor.updated', 'monitor.deleted', 'monitor.paused'],
  ...['monitor.resumed', 'monitor.degraded', 'monitor.recovered', 'monitor.certificate_expiring'],
  ...['monitor.domain_expiring', 'monitor.dns_changed', 'maintenance.scheduled', 'maintenance.started'],
  ...['maintenance.completed', 'maintenance.cancelled', 'webhook.test'],
] as const

/** Section 7: the codes and the status of each. */
export const errorStatus: Readonly<Record<string, number>> = {
  validation_error: 400,
  invalid_idempotency_key: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  plan_limit: 422,
  subscription_required: 422,
  rate_limited: 429,
  internal_error: 500,
}

/** Section 4.1: the defaults of a new monitor. */
export const monitorDefaults = {
  url: null,
  host: null,
  port: null,
  method: 'GET',
  expectedStatus: [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308],
  requestHeaders: null,
  requestBody: null,
  followRedirects: true,
  verifySsl: true,
  keyword: null,
  keywordMatch: 'EXISTS',
  dnsRecordType: 'A',
  dnsExpected: null,
  dnsAlertOnChange: true,
  sslExpiryThresholdDays: 2,
  intervalSeconds: 300,
  timeoutSeconds: 30,
  expectedPeriodSec: null,
  graceSeconds: 60,
  degradedThresholdMs: null,
  degradedThresholdMode: 'LAST',
  degradedSamples: 3,
} as const

export interface MonitorOperation {
  readonly name: string
  readonly method: string
  readonly path: (id: string) => string
  readonly changes: boolean
  readonly body: (() => unknown) | undefined
  readonly status: number
}

const action = (name: string): MonitorOperation => ({
  name,
  method: 'POST',
  path: (id) => `/monitors/${id}/${name}`,
  changes: true,
  body: () => ({}),
  status: 200,
})

/** The eight operations, each with a request that succeeds on a running CRON monitor. */
export const monitorOperations: readonly MonitorOperation[] = [
  { name: 'list', method: 'GET', path: () => '/monitors', changes: false, body: undefined, status: 200 },
  {
    name: 'create',
    method: 'POST',
    path: () => '/monitors',
    changes: true,
    body: () => ({ name: 'Nightly backup', type: 'CRON' }),
    status: 201,
  },
  { name: 'get', method: 'GET', path: (id) => `/monitors/${id}`, changes: false, body: undefined, status: 200 },
  {
    name: 'update',
    method: 'PATCH',
    path: (id) => `/monitors/${id}`,
    changes: true,
    body: () => ({ name: 'Renamed' }),
    status: 200,
  },
  action('pause'),
  action('resume'),
  action('check'),
  { name: 'delete', method: 'DELETE', path: (id) => `/monitors/${id}`, changes: true, body: undefined, status: 200 },
]

export const monitorChanges = monitorOperations.filter((operation) => operation.changes)

/** Sends the operation's valid request for the given monitor. */
export function call(
  client: Client,
  { method, path, body }: MonitorOperation,
  id: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(method, path(id), body?.(), headers)
}
