import assert from 'node:assert/strict'
import type { Answer } from './server.ts'

/** The specification of maintenance windows, written a second time by hand. */

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === 'string'
const moment: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const occurrence: Check = (value) => {
  const { startsAt, endsAt, ...rest } = value as Record<string, unknown>
  return (
    moment(startsAt) && moment(endsAt) && (endsAt as string) > (startsAt as string) && Object.keys(rest).length === 0
  )
}
const day: Check = (value) => value === -1 || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 31)

const fields: Readonly<Record<string, Check>> = {
  id: (value) => /^mw_[0-9a-f]{32}$/.test(String(value)),
  name: text,
  description: orNull(text),
  startsAt: moment,
  endsAt: moment,
  timezone: text,
  recurrence: oneOf('NONE', 'DAILY', 'WEEKLY', 'MONTHLY'),
  recurrenceInterval: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 52,
  daysOfWeek: listOf(oneOf(1, 2, 3, 4, 5, 6, 7)),
  daysOfMonth: listOf(day),
  recurrenceEndsAt: orNull(moment),
  monitorIds: listOf(text),
  allMonitors: (value) => typeof value === 'boolean',
  statusPageIds: listOf(text),
  status: oneOf('SCHEDULED', 'IN_PROGRESS', 'COMPLETED'),
  currentOccurrence: orNull(occurrence),
  nextOccurrence: orNull(occurrence),
  createdAt: moment,
  updatedAt: moment,
}

/** Exactly these fields, each of its type, and consistent with each other. */
function expectWindow(window: Record<string, unknown>, what: string): void {
  assert.deepEqual(Object.keys(window).sort(), Object.keys(fields).sort(), `${what}: its fields`)
  for (const [field, check] of Object.entries(fields)) {
    assert.ok(check(window[field]), `${what}: ${field} is ${JSON.stringify(window[field])}`)
  }
  const { status, currentOccurrence, nextOccurrence, recurrence } = window
  assert.equal(currentOccurrence !== null, status === 'IN_PROGRESS', `${what}: the current occurrence`)
  if (status === 'COMPLETED') assert.equal(nextOccurrence, null, `${what}: what is over does not come again`)
  if (status === 'SCHEDULED') assert.notEqual(nextOccurrence, null, `${what}: what is planned has a time`)
  if (recurrence === 'WEEKLY') assert.notDeepEqual(window.daysOfWeek, [], `${what}: its days`)
  if (recurrence === 'MONTHLY') assert.notDeepEqual(window.daysOfMonth, [], `${what}: its days`)
}

/** Checks the response of a maintenance operation. */
export function expectMaintenanceAnswer({ status, body }: Answer, method: string, path: string, what: string): void {
  const [, , id] = path.split('?', 1)[0]?.split('/') ?? []
  assert.equal(status, method === 'POST' ? 201 : 200, `${what}: create answers 201 alone`)
  if (method === 'DELETE') assert.deepEqual(body, { data: { id: decodeURIComponent(id ?? '') } }, what)
  else if (method === 'GET' && id === undefined) {
    assert.deepEqual(Object.keys(body), ['data', 'pagination'], what)
    assert.deepEqual(Object.keys(body.pagination), ['limit', 'offset', 'total'], what)
    for (const window of body.data) expectWindow(window, what)
  } else expectWindow(body, what)
}
