import Type, { type Static } from 'typebox'
import { patterns } from '../../contract/patterns.ts'
import {
  body,
  DOCUMENTED,
  defaulted,
  documented,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  singleLine,
  Timestamp,
  TimestampInput,
} from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { uniqueItems } from '../../contract/unique-items.ts'
import { maintenanceStatuses, recurrences } from '../maintenance-coverage/types.ts'

/** -1 and 1 to 31, which no integer range can express. */
const dayOfMonth = Type.Unsafe<number>({ type: 'integer', enum: [-1, ...Array.from({ length: 31 }, (_, i) => i + 1)] })

const descriptions = {
  startsAt: 'Start of the window; of a recurring window, the earliest start',
  endsAt: 'After startsAt, by at most 30 days. All occurrences have the same duration.',
  timezone: 'An IANA name. Recurring windows follow local time in this zone.',
  recurrenceInterval: 'Interval in days, weeks (starting on Monday) or months, counted from startsAt',
  daysOfWeek: 'WEEKLY: 1 is Monday, 7 is Sunday. Empty: the day of startsAt in the time zone.',
  daysOfMonth:
    'MONTHLY: 1 to 31, or -1 for the last day. Months without such a day are skipped. Empty: the day of ' +
    'startsAt in the time zone.',
  recurrenceEndsAt: 'No occurrence starts after this time',
  monitorIds: 'Required unless allMonitors is true or there is a selector',
  allMonitors: 'All monitors of the organization, including monitors created later',
  statusPageIds:
    'The pages that show it; empty: every page that shows an affected monitor. Deleted pages remain in the ' + 'list.',
}

/** The fields that users can set. */
const fields = {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  description: nullable(Type.String({ maxLength: 2000 })),
  startsAt: Type.Unsafe<string>({ ...TimestampInput, description: descriptions.startsAt }),
  endsAt: Type.Unsafe<string>({ ...TimestampInput, description: descriptions.endsAt }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: descriptions.timezone,
    [DOCUMENTED]: { pattern: patterns.timezone, examples: ['Europe/Berlin'] },
  }),
  recurrence: oneOf(recurrences),
  recurrenceInterval: Type.Integer({ minimum: 1, maximum: 52, description: descriptions.recurrenceInterval }),
  daysOfWeek: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    maxItems: 7,
    description: descriptions.daysOfWeek,
    ...uniqueItems,
  }),
  daysOfMonth: Type.Array(dayOfMonth, { maxItems: 32, description: descriptions.daysOfMonth, ...uniqueItems }),
  recurrenceEndsAt: nullable(TimestampInput, { description: descriptions.recurrenceEndsAt }),
  monitorIds: Type.Array(Type.String({ minLength: 1 }), {
    maxItems: 500,
    description: descriptions.monitorIds,
    ...uniqueItems,
  }),
  allMonitors: Type.Boolean({ description: descriptions.allMonitors }),
  statusPageIds: Type.Array(Type.String({ minLength: 1 }), {
    maxItems: 500,
    description: descriptions.statusPageIds,
    ...uniqueItems,
  }),
}

const optionalSelector = Type.Optional(
  nullable(SelectorText, {
    description:
      'Also covers the monitors that match, including monitors labelled later. Not part of the window that is returned: ' +
      '`GET /maintenance-windows/{maintenanceId}/selector` reads it.',
  }),
)

const creation = body('CreateMaintenanceWindow', {
  name: fields.name,
  description: defaulted(fields.description, null),
  startsAt: fields.startsAt,
  endsAt: fields.endsAt,
  timezone: defaulted(fields.timezone, 'UTC'),
  recurrence: defaulted(fields.recurrence, 'NONE'),
  recurrenceInterval: defaulted(fields.recurrenceInterval, 1),
  daysOfWeek: defaulted(fields.daysOfWeek, []),
  daysOfMonth: defaulted(fields.daysOfMonth, []),
  recurrenceEndsAt: defaulted(fields.recurrenceEndsAt, null),
  monitorIds: defaulted(fields.monitorIds, []),
  allMonitors: defaulted(fields.allMonitors, false),
  statusPageIds: defaulted(fields.statusPageIds, []),
  selector: optionalSelector,
})

export const CreateMaintenanceWindow = documented(creation, {
  if: {
    not: {
      anyOf: [
        { required: ['allMonitors'], properties: { allMonitors: { const: true } } },
        { required: ['selector'], properties: { selector: { type: 'string' } } },
      ],
    },
  },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['monitorIds'], properties: { monitorIds: { minItems: 1 } } },
})
export type NewMaintenanceWindow = Static<typeof CreateMaintenanceWindow>

const optional = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as unknown as { [K in keyof typeof fields]: Type.TOptional<(typeof fields)[K]> }

export const UpdateMaintenanceWindow = body('UpdateMaintenanceWindow', { ...optional, selector: optionalSelector })
export type MaintenancePatch = Static<typeof UpdateMaintenanceWindow>

const occurrence = (description: string) =>
  Type.Unsafe<{ startsAt: string; endsAt: string } | null>({
    type: ['object', 'null'],
    required: ['startsAt', 'endsAt'],
    properties: { startsAt: Timestamp, endsAt: Timestamp },
    description,
  })

export const MaintenanceWindow = resource('MaintenanceWindow', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  description: nullable(Type.String()),
  startsAt: Timestamp,
  endsAt: Timestamp,
  timezone: Type.String({ description: descriptions.timezone }),
  recurrence: oneOf(recurrences),
  recurrenceInterval: Type.Integer({ description: descriptions.recurrenceInterval }),
  daysOfWeek: Type.Array(Type.Integer(), { description: 'WEEKLY: 1 is Monday, 7 is Sunday' }),
  daysOfMonth: Type.Array(Type.Integer(), { description: 'MONTHLY: 1 to 31, or -1 for the last day' }),
  recurrenceEndsAt: nullable(Timestamp, { description: descriptions.recurrenceEndsAt }),
  monitorIds: Type.Array(Type.String(), { description: 'A deleted monitor is removed from the list' }),
  allMonitors: Type.Boolean({ description: descriptions.allMonitors }),
  statusPageIds: Type.Array(Type.String(), { description: descriptions.statusPageIds }),
  status: oneOf(maintenanceStatuses, { description: 'A recurring window is SCHEDULED between its occurrences' }),
  currentOccurrence: occurrence('The occurrence in progress; if several overlap, the one that started last'),
  nextOccurrence: occurrence('The next occurrence'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const MaintenanceWindowPage = page('MaintenanceWindowPage', MaintenanceWindow)
export const MaintenanceParams = Type.Object({ maintenanceId: Type.String({ minLength: 1 }) })

const filtering = (schema: typeof TimestampInput, description: string) =>
  Type.Optional(Type.Unsafe<string>({ ...schema, description }))

export const MaintenanceQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(maintenanceStatuses)),
  monitorId: Type.Optional(Type.String({ minLength: 1, description: 'Windows that cover this monitor' })),
  statusPageId: Type.Optional(Type.String({ minLength: 1, description: 'Windows that this page shows' })),
  startsAfter: filtering(TimestampInput, 'Windows whose startsAt is later'),
  startsBefore: filtering(TimestampInput, 'Windows whose startsAt is earlier'),
})
