import assert from 'node:assert/strict'
import type { Api, Tenant } from '../../support/api.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource of any shape
export type Body = Record<string, any>

/** The fields of incidents by the specification, written independently of the schema. */

type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, Check>>

const text: Check = (value) => typeof value === 'string' && value !== ''
const whole: Check = (value) => Number.isInteger(value)
const flag: Check = (value) => typeof value === 'boolean'
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
const holding =
  (fields: Fields): Check =>
  (value) => {
    expectFields(value as Body, fields, 'inside')
    return true
  }

export const causeCodes = [
  ...['TIMEOUT', 'DNS', 'CONNECT', 'TLS', 'STATUS', 'KEYWORD', 'DNS_MISMATCH'],
  ...['HEARTBEAT_MISSED', 'HEARTBEAT_FAILED', 'CERTIFICATE', 'DOMAIN'],
] as const

const monitorFields: Fields = {
  id: text,
  name: text,
  type: oneOf('HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'),
}

const failureFields: Fields = {
  at: moment,
  statusCode: orNull(whole),
  responseMs: orNull(whole),
  error: text,
  ip: orNull(text),
  excerpt: orNull((value) => typeof value === 'string' && value.length <= 2048),
}

const listedFields: Fields = {
  id: (value) => typeof value === 'string' && /^inc_[0-9a-f]{32}$/.test(value),
  monitor: holding(monitorFields),
  startedAt: moment,
  resolvedAt: orNull(moment),
  durationSec: orNull(whole),
  cause: orNull(text),
  acknowledged: flag,
}

const detailFields: Fields = {
  ...listedFields,
  acknowledgedAt: orNull(moment),
  acknowledgedBy: orNull(holding({ type: oneOf('USER', 'API_KEY'), name: text })),
  causeCode: oneOf(...causeCodes),
  failedChecks: whole,
  firstFailure: orNull(holding(failureFields)),
  lastFailure: orNull(holding(failureFields)),
  timeline: (value) =>
    Array.isArray(value) && value.every(holding({ at: moment, type: text, message: text })) && isInOrder(value),
}

function isInOrder(timeline: readonly Body[]): boolean {
  return timeline.every(({ at }, i) => i === 0 || timeline[i - 1]?.at <= at)
}

/** Exactly these fields, each of its type. */
function expectFields(value: Body, fields: Fields, what: string): void {
  assert.deepEqual(Object.keys(value).sort(), Object.keys(fields).sort(), `${what}: its fields`)
  for (const [field, check] of Object.entries(fields)) {
    assert.ok(check(value[field]), `${what}: ${field} is ${JSON.stringify(value[field])}`)
  }
  if ('durationSec' in fields) assert.equal(value.durationSec === null, value.resolvedAt === null, `${what}: duration`)
}

/** What the list shows of an incident. */
export function listed(detail: Body): Body {
  return Object.fromEntries(Object.keys(listedFields).map((field) => [field, detail[field]]))
}

export async function currentIncident(client: Client, id: string): Promise<Body> {
  const answer = await client.get(`/incidents/${id}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  expectFields(answer.body, detailFields, 'an incident')
  return answer.body
}

/** A page of incidents, each checked against its fields. */
export async function pageOf(client: Client, query = ''): Promise<{ data: Body[]; pagination: Body }> {
  const answer = await client.get(`/incidents${query === '' ? '' : `?${query}`}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(Object.keys(answer.body), ['data', 'pagination'])
  assert.deepEqual(Object.keys(answer.body.pagination), ['limit', 'offset', 'total'])
  for (const incident of answer.body.data) expectFields(incident, listedFields, 'a listed incident')
  return answer.body
}

export async function acknowledged(client: Client, id: string): Promise<Body> {
  const answer = await client.post(`/incidents/${id}/acknowledge`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  expectFields(answer.body, detailFields, 'an acknowledged incident')
  return answer.body
}

/** Checks a monitor and returns it. */
export async function check(client: Client, id: string): Promise<MonitorBody> {
  const answer = await client.post(`/monitors/${id}/check`, {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

/**
 * Checks a monitor that must be DOWN, and returns its open incident. On a busy machine a thread may stall and make a check
 * inconclusive; then it is repeated.
 */
export async function outage(client: Client, id: string): Promise<Body> {
  await eventually(async () => assert.equal((await check(client, id)).state, 'DOWN'))
  const { data } = await pageOf(client, `monitorId=${id}&status=ONGOING`)
  assert.equal(data.length, 1, 'a monitor that is DOWN has one open incident')
  return currentIncident(client, data[0]?.id)
}

/** A monitor of a target that answers 503 from now on. */
export async function shaky(client: Client, target: HttpTarget, extra: MonitorBody = {}): Promise<MonitorBody> {
  target.status = 503
  return createMonitor(client, smallest('HTTP', { url: target.url, ...extra }))
}

/** An organization with a monitor that is DOWN and its open incident. */
export async function tenantWithIncident(api: Api): Promise<Tenant & { monitor: MonitorBody; incident: Body }> {
  await using target = await startHttpTarget()
  const tenant = await api.tenant()
  const monitor = await shaky(tenant.client, target)
  return { ...tenant, monitor, incident: await outage(tenant.client, monitor.id) }
}

/** `action` changes no incident of the organization. */
export async function untouchedBy<T>(client: Client, action: () => Promise<T>): Promise<T> {
  const look = async (): Promise<Body[]> => {
    const { data } = await pageOf(client, 'limit=100')
    return Promise.all(data.map(({ id }) => currentIncident(client, id)))
  }
  const before = await look()
  const result = await action()
  assert.deepEqual(await look(), before, 'something changed')
  return result
}
