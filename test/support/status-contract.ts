import assert from 'node:assert/strict'
import type { Answer } from './server.ts'

/** The specification of status pages and published incidents, written a second time by hand. */

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string' && value !== ''
const anyText: Check = (value) => typeof value === 'string'
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
const id =
  (prefix: string): Check =>
  (value) =>
    typeof value === 'string' && new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const objectOf =
  (fields: Fields): Check =>
  (value) => {
    expectFields(value as Record<string, unknown>, fields, 'inside')
    return true
  }

type Fields = Readonly<Record<string, Check>>

const pageFields: Fields = {
  id: id('page'),
  name: text,
  slug: (value) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(String(value)),
  url: (value) => /^https?:\/\//.test(String(value)),
  customDomain: orNull(text),
  description: orNull(anyText),
  published: flag,
  visibility: oneOf('PUBLIC', 'PASSWORD'),
  passwordSet: flag,
  logoUrl: orNull(text),
  faviconUrl: orNull(text),
  homepageUrl: orNull(text),
  contactUrl: orNull(text),
  theme: oneOf('SYSTEM', 'LIGHT', 'DARK'),
  accentColor: orNull((value) => /^#[0-9a-f]{6}$/i.test(String(value))),
  locale: text,
  timezone: text,
  historyDays: (value) => Number.isInteger(value),
  showUptime: flag,
  showResponseTimes: flag,
  hideFromSearch: flag,
  subscribersEnabled: flag,
  sections: listOf(
    objectOf({ name: text, monitors: listOf(objectOf({ monitorId: text, displayName: orNull(text) })) }),
  ),
  overallStatus: oneOf('OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE', 'MAINTENANCE'),
  createdAt: moment,
  updatedAt: moment,
}

const states = oneOf('INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED')

const affectedMonitors = listOf(
  objectOf({ monitorId: id('mon'), status: oneOf('OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE') }),
)

const publishedFields: Fields = {
  id: id('sinc'),
  title: text,
  status: states,
  impact: oneOf('NONE', 'MINOR', 'MAJOR', 'CRITICAL'),
  statusPageIds: listOf(id('page')),
  affectedMonitors,
  incidentId: orNull(id('inc')),
  startedAt: moment,
  resolvedAt: orNull(moment),
  postmortem: orNull(anyText),
  updates: listOf(
    objectOf({
      id: id('upd'),
      status: states,
      message: text,
      affectedMonitors,
      publishedAt: moment,
      createdAt: moment,
    }),
  ),
  createdAt: moment,
  updatedAt: moment,
}

/** Exactly these fields, each of its type. */
function expectFields(value: Record<string, unknown>, fields: Fields, what: string): void {
  assert.deepEqual(Object.keys(value).sort(), Object.keys(fields).sort(), `${what}: its fields`)
  for (const [field, check] of Object.entries(fields)) {
    assert.ok(check(value[field]), `${what}: ${field} is ${JSON.stringify(value[field])}`)
  }
}

function expectResource(value: Record<string, unknown>, isPage: boolean, what: string): void {
  expectFields(value, isPage ? pageFields : publishedFields, what)
  if (isPage) return
  assert.equal(value.status === 'RESOLVED', value.resolvedAt !== null, `${what}: resolvedAt while RESOLVED alone`)
}

/** Checks a successful response of a status operation. */
export function expectStatusAnswer({ status, body }: Answer, method: string, path: string, what: string): void {
  const [, kind, target] = path.split('?', 1)[0]?.split('/') ?? []
  assert.equal(status, method === 'POST' ? 201 : 200, `${what}: what is made answers 201, everything else 200`)
  if (method === 'DELETE') {
    assert.deepEqual(body, { data: { id: decodeURIComponent(target ?? '') } }, what)
    return
  }
  const isPage = kind === 'status-pages'
  if (method !== 'GET' || target !== undefined) {
    expectResource(body, isPage, what)
    return
  }
  assert.deepEqual(Object.keys(body), ['data', 'pagination'], what)
  assert.deepEqual(Object.keys(body.pagination), ['limit', 'offset', 'total'], what)
  for (const item of body.data) expectResource(item, isPage, what)
}
