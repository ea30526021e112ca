/** The specification, written a second time by hand: tests must not take their expectations from the code. */

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const whole: Check = (value) => Number.isInteger(value)
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const map: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
/** UTC with milliseconds and Z. */
const moment: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

export const monitorTypes = ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'] as const

/** Section 2.1: exactly these fields, all always present. */
export const monitorFields: Readonly<Record<string, Check>> = {
  id: (value) => text(value) && value !== '',
  name: text,
  type: oneOf(...monitorTypes),
  state: oneOf('PENDING', 'UP', 'DEGRADED', 'DOWN', 'PAUSED'),
  url: orNull(text),
  host: orNull(text),
  port: orNull(whole),
  method: oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  expectedStatus: listOf(whole),
  requestHeaders: orNull(map),
  requestBody: orNull(text),
  followRedirects: flag,
  verifySsl: flag,
  keyword: orNull(text),
  keywordMatch: oneOf('EXISTS', 'NOT_EXISTS'),
  dnsRecordType: orNull(text),
  dnsExpected: orNull(text),
  dnsAlertOnChange: flag,
  sslExpiryThresholdDays: whole,
  intervalSeconds: whole,
  timeoutSeconds: whole,
  expectedPeriodSec: orNull(whole),
  graceSeconds: whole,
  degradedThresholdMs: orNull(whole),
  degradedThresholdMode: oneOf('LAST', 'P95'),
  degradedSamples: whole,
  heartbeatUrl: orNull(text),
  lastCheckedAt: orNull(moment),
  lastStatusChangedAt: orNull(moment),
  lastResponseMs: orNull(whole),
  certExpiresAt: orNull(moment),
  createdAt: moment,
  updatedAt: moment,
}

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
