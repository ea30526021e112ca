import assert from 'node:assert/strict'
import type { Answer } from './server.ts'

/** The specification of webhooks, written a second time by hand. */

export const eventTypes = [
  ...['incident.opened', 'incident.acknowledged', 'incident.resolved'],
  ...['status_incident.published', 'status_incident.updated', 'status_incident.update_posted'],
  ...['status_incident.resolved', 'monitor.created', 'monitor.updated', 'monitor.deleted', 'monitor.paused'],
  ...['monitor.resumed', 'monitor.degraded', 'monitor.recovered', 'monitor.certificate_expiring'],
  ...['monitor.domain_expiring', 'monitor.dns_changed', 'maintenance.scheduled', 'maintenance.started'],
  ...['maintenance.completed', 'maintenance.cancelled', 'webhook.test'],
] as const

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string' && value !== ''
const whole: Check = (value) => Number.isInteger(value)
const moment: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const id =
  (prefix: string): Check =>
  (value) =>
    typeof value === 'string' && new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(value)

type Fields = Readonly<Record<string, Check>>

const endpointFields: Fields = {
  id: id('we'),
  url: text,
  description: orNull((value) => typeof value === 'string'),
  eventTypes: (value) => Array.isArray(value) && value.length > 0 && value.every(oneOf('*', ...eventTypes)),
  enabled: (value) => typeof value === 'boolean',
  disabledReason: orNull(oneOf('GONE', 'FAILING')),
  previousSecretExpiresAt: orNull(moment),
  lastDeliveryAt: orNull(moment),
  createdAt: moment,
  updatedAt: moment,
}

const secretFields: Fields = {
  ...endpointFields,
  secret: (value) =>
    typeof value === 'string' &&
    value.startsWith('whsec_') &&
    Buffer.from(value.slice(6), 'base64').length === 32 &&
    Buffer.from(value.slice(6), 'base64').toString('base64') === value.slice(6),
}

const deliveryFields: Fields = {
  id: id('dlv'),
  endpointId: id('we'),
  eventId: id('evt'),
  eventType: oneOf(...eventTypes),
  status: oneOf('PENDING', 'SUCCEEDED', 'FAILED'),
  attemptCount: whole,
  maxAttempts: whole,
  nextAttemptAt: orNull(moment),
  lastResponseStatus: orNull(whole),
  createdAt: moment,
  completedAt: orNull(moment),
}

const eventFields: Fields = {
  id: id('evt'),
  type: oneOf(...eventTypes),
  timestamp: moment,
  data: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

const attemptFields: Fields = {
  id: id('att'),
  number: whole,
  trigger: oneOf('SCHEDULED', 'MANUAL'),
  startedAt: moment,
  durationMs: whole,
  outcome: oneOf('SUCCEEDED', 'FAILED'),
  responseStatus: orNull(whole),
  responseBody: orNull((value) => typeof value === 'string' && value.length <= 4096),
  error: orNull(oneOf('TIMEOUT', 'DNS', 'CONNECT', 'TLS', 'BLOCKED_ADDRESS', 'REDIRECT', 'STATUS')),
}

const detailFields: Fields = {
  ...deliveryFields,
  payload: (value) => holds(value, eventFields),
  attempts: (value) => Array.isArray(value) && value.every((attempt) => holds(attempt, attemptFields)),
}

function holds(value: unknown, fields: Fields): boolean {
  expectFields(value as Record<string, unknown>, fields, 'inside')
  return true
}

/** Exactly these fields, each of its type. */
function expectFields(value: Record<string, unknown>, fields: Fields, what: string): void {
  assert.deepEqual(Object.keys(value).sort(), Object.keys(fields).sort(), `${what}: its fields`)
  for (const [field, check] of Object.entries(fields)) {
    assert.ok(check(value[field]), `${what}: ${field} is ${JSON.stringify(value[field])}`)
  }
}

/** Checks the response of a webhook operation. */
export function expectWebhookAnswer(answer: Answer, method: string, path: string, what: string): void {
  const [, kind, target, verb] = path.split('?', 1)[0]?.split('/') ?? []
  const { status, body } = answer
  assert.equal(status, method === 'POST' && target === undefined ? 201 : 200, `${what}: create answers 201 alone`)
  if (method === 'DELETE') {
    assert.deepEqual(body, { data: { id: decodeURIComponent(target ?? '') } }, what)
    return
  }
  if (method === 'GET' && target === undefined) {
    assert.deepEqual(Object.keys(body), ['data', 'pagination'], what)
    assert.deepEqual(Object.keys(body.pagination), ['limit', 'offset', 'total'], what)
    const fields = kind === 'webhook-endpoints' ? endpointFields : deliveryFields
    for (const item of body.data) expectFields(item, fields, what)
    return
  }
  const shows = kind === 'webhook-deliveries' || verb === 'test' ? detailFields : endpointFields
  const secretShown = (method === 'POST' && target === undefined) || verb === 'rotate-secret'
  expectFields(body, secretShown ? secretFields : shows, what)
}
