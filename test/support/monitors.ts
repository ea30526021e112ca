import assert from 'node:assert/strict'
import { type Answer, bodyOf, type Client } from './server.ts'

export type MonitorType = 'HTTP' | 'KEYWORD' | 'PING' | 'PORT' | 'CRON' | 'DNS' | 'SSL' | 'DOMAIN'

// biome-ignore lint/suspicious/noExplicitAny: a monitor as it came, to be looked at
export type MonitorBody = Record<string, any>

/** The required fields of each type. */
const targets: Readonly<Record<MonitorType, MonitorBody>> = {
  HTTP: { url: 'https://shop.example/health' },
  KEYWORD: { url: 'https://shop.example/', keyword: 'Welcome' },
  PING: { host: 'gateway.example' },
  PORT: { host: 'db.example', port: 5432 },
  CRON: {},
  DNS: { url: 'shop.example' },
  SSL: { url: 'https://shop.example' },
  DOMAIN: { url: 'shop.example' },
}

/** The smallest body that creates a monitor of this type. */
export function smallest(type: MonitorType, extra: MonitorBody = {}): MonitorBody {
  return { name: `Watch ${type}`, type, ...targets[type], ...extra }
}

/** Has the required fields of all types. */
export function ofAnyType(type: MonitorType, extra: MonitorBody = {}): MonitorBody {
  return { ...targets.KEYWORD, ...targets.PORT, name: 'Anything', type, ...extra }
}

/** Every field set, none to its default. */
export const elaborate: MonitorBody = {
  name: 'Checkout – Kasse ☂',
  type: 'HTTP',
  url: 'https://shop.example/checkout?step=1',
  host: 'shop.example',
  port: 8443,
  method: 'POST',
  expectedStatus: [200, 418],
  requestHeaders: { 'X-Probe': 'pharos', Accept: 'application/json' },
  requestBody: '{"ping":true}',
  followRedirects: false,
  verifySsl: false,
  keyword: 'ready',
  keywordMatch: 'NOT_EXISTS',
  dnsRecordType: 'MX',
  dnsExpected: '10 mail.shop.example',
  dnsAlertOnChange: false,
  sslExpiryThresholdDays: 14,
  intervalSeconds: 600,
  timeoutSeconds: 12,
  expectedPeriodSec: 3600,
  graceSeconds: 120,
  degradedThresholdMs: 800,
  degradedThresholdMode: 'P95',
  degradedSamples: 20,
}

/** Creates a monitor that must be accepted. */
export async function createMonitor(client: Client, body: MonitorBody = smallest('HTTP')): Promise<MonitorBody> {
  return bodyOf(await client.post('/monitors', body), 201)
}

/** Replaces the labels of a monitor; the answer may be a refusal. */
export function sendLabels(
  client: Client,
  id: string,
  labels: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  return client.send('PUT', `/monitors/${id}/labels`, { labels }, headers)
}

/** Replaces the labels of a monitor, which must be accepted. */
export async function setLabels(client: Client, id: string, labels: object): Promise<void> {
  const answer = await sendLabels(client, id, labels)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

/** Creates a monitor with labels. */
export async function labelled(client: Client, labels: object, body = smallest('CRON')): Promise<MonitorBody> {
  const monitor = await createMonitor(client, body)
  await setLabels(client, monitor.id, labels)
  return monitor
}

/** The monitor as it is now. */
export async function current(client: Client, id: string): Promise<MonitorBody> {
  return bodyOf(await client.get(`/monitors/${id}`))
}

export async function total(client: Client): Promise<number> {
  const answer = await client.get('/monitors?limit=1')
  assert.equal(answer.status, 200)
  return answer.body.pagination.total
}

/** Asserts this error code and, for a validation error, exactly these fault paths. */
export function expectError(answer: Answer, code: string, paths?: readonly string[]): void {
  assert.equal(answer.body?.error?.code, code, JSON.stringify(answer.body))
  if (paths !== undefined) assert.deepEqual(faultPaths(answer), [...paths].sort())
}

function faultPaths(answer: Answer): string[] {
  return answer.body.error.details.map((fault: { path: string }) => fault.path).sort()
}

/** The monitor without these fields. */
export function without(monitor: MonitorBody, ...fields: readonly string[]): MonitorBody {
  return Object.fromEntries(Object.entries(monitor).filter(([field]) => !fields.includes(field)))
}

/** Asserts that `action` changes nothing in these lists of the organization. */
export async function unchangedBy<T>(
  client: Client,
  action: () => Promise<T>,
  lists: readonly string[] = ['/monitors'],
): Promise<T> {
  const look = () => Promise.all(lists.map(async (path) => (await client.get(`${path}?limit=100`)).body))
  const before = await look()
  const result = await action()
  assert.deepEqual(await look(), before, 'something changed')
  return result
}
