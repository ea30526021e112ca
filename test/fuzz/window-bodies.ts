import fc from 'fast-check'
import type { DescribedOperation } from './schema.ts'
import { type JsonText, json, one, validJson } from './values.ts'

/** The rules of a window's fields beyond their schemas. */
const rules: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {
  startsAt: one('2031-05-01T10:00:00.000Z', '2020-02-29T23:00:00.000Z'),
  timezone: one('UTC', 'Europe/Berlin', 'Asia/Calcutta'),
  // An empty list is returned as the day of the start.
  daysOfWeek: fc.subarray([1, 3, 7], { minLength: 1 }).map(json),
  daysOfMonth: fc.subarray([-1, 1, 15], { minLength: 1 }).map(json),
  selector: one(null, 'team=pay'),
  recurrenceEndsAt: one(null, '2090-01-01T00:00:00.000Z'),
  monitorIds: fc.constant(json(['@monitorId@'])),
  statusPageIds: one([], ['@statusPageId@']),
}

/** The end is computed from the start, so that it is later. */
function withEnd(body: JsonText): JsonText {
  const window = JSON.parse(body)
  return json({ ...window, endsAt: new Date(Date.parse(window.startsAt) + 5_400_000).toISOString() })
}

export const windowBodies: Readonly<Record<string, (operation: DescribedOperation) => fc.Arbitrary<JsonText>>> = {
  createMaintenanceWindow: ({ body = {} }) => validJson(body, rules).map(withEnd),
  updateMaintenanceWindow: ({ body = {} }) => validJson(body, rules).map(withEnd),
}
