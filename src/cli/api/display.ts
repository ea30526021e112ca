import { isTime } from '../../contract/patterns.ts'
import { durationText } from '../../lib/duration.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { cleanLine } from '../clean-text.ts'
import { displayTime, relativeTime, table } from '../command.ts'
import { capitalized, fieldsOf, isRecord, typeOf } from './schema.ts'

export type Row = Readonly<Record<string, unknown>>

/** A heading, and the dotted path of a field or a function. */
export type Column = readonly [heading: string, field: string | ((row: Row) => unknown)]

/** Enumerated values that are not words. */
const abbreviations = /^(HTTP|DNS|SSL|TLS|P95|API_KEY|GET|HEAD|POST|PUT|PATCH|DELETE|A|AAAA|CNAME|MX|TXT|NS)$/

/** `IN_PROGRESS` as "In progress". */
export function words(value: string): string {
  if (abbreviations.test(value)) return value.replaceAll('_', ' ')
  if (!/^[A-Z][A-Z0-9_]*$/.test(value)) return value
  return value[0] + value.slice(1).toLowerCase().replaceAll('_', ' ')
}

type TimeText = (at: string) => string

export function display(value: unknown, schema: JsonSchema = {}, timeText: TimeText = displayTime): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const areSentences = value.every((item) => typeof item === 'string' && item.endsWith('.'))
    const items = value.map((item) => display(item, schema.items, timeText))
    return value.length === 0 ? 'none' : items.join(areSentences ? ' ' : ', ')
  }
  if (typeof value === 'object') return displayObject(value as Row, schema)
  if (isTime(schema)) return timeText(String(value))
  return schema.enum === undefined ? cleanLine(String(value)) : words(String(value))
}

function displayObject(value: Row, schema: JsonSchema): string {
  if (typeof value.name === 'string') return cleanLine(value.name)
  if (typeof value.startsAt === 'string' && typeof value.endsAt === 'string') {
    return `${displayTime(value.startsAt)} to ${displayTime(value.endsAt)}`
  }
  // Keys of labels and names of headers belong to the user.
  if (isRecord(schema))
    return (
      cleanLine(
        Object.entries(value)
          .map(([key, part]) => `${key}: ${isObject(part) ? `(${display(part)})` : part}`)
          .join(', '),
      ) || '-'
    )
  const fields = fieldsOf(schema)
  const known = Object.entries(value).filter(([, part]) => part !== null && part !== undefined)
  return known
    .map(([name, part]) => {
      const text = measured(name, part) ?? display(part, fields[name])
      return `${label(name)}: ${isObject(part) ? `(${text})` : text}`
    })
    .join(', ')
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function displayRows(
  columns: readonly Column[],
  rows: readonly Row[],
  schema: JsonSchema,
  timeText: TimeText = displayTime,
  width?: number,
): string {
  const cells = rows.map((row) => columns.map(([, field]) => cellOf(row, field, schema, timeText)))
  return table(
    columns.map(([heading]) => heading),
    cells,
    width,
  )
}

function cellOf(row: Row, field: Column[1], schema: JsonSchema, timeText: TimeText): string {
  if (typeof field === 'function') return display(field(row))
  let [value, described]: [unknown, JsonSchema | undefined] = [row, schema]
  for (const part of field.split('.')) {
    value = (value as Row | null | undefined)?.[part]
    described = fieldsOf(described)[part]
  }
  return measured(field, value) ?? display(value, described, timeText)
}

interface TableOptions {
  /** The columns of the tables. */
  readonly columns?: (items: readonly Row[], schema: JsonSchema) => readonly Column[]
  /** Of the terminal. */
  readonly width?: number | undefined
}

/** One line per field that has a value, and a table per list of objects. */
export function displayDetails(resource: Row, schema: JsonSchema, { columns, width }: TableOptions = {}): string {
  const fields = fieldsOf(schema)
  const lines: (readonly [string, string])[] = []
  const tables: string[] = []
  for (const [field, value] of Object.entries(resource)) {
    const described = fields[field] ?? {}
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
    // A page says how much of the list it is below its table.
    if (isEmpty || field === 'pagination') continue
    if (Array.isArray(value) && typeof value[0] === 'object') {
      const items = value as Row[]
      const chosen = columns?.(items, described.items ?? {}) ?? columnsOf(items, described.items ?? {})
      // The list that is the answer needs no heading.
      const isAnswer = field === 'data'
      const shown = displayRows(
        chosen,
        items,
        described.items ?? {},
        displayTime,
        width && (isAnswer ? width : width - 2),
      )
      tables.push(isAnswer ? `\n${shown}` : `\n${label(field)}:\n${indented(shown)}`)
      continue
    }
    const text = measured(field, value) ?? display(value, described, withRelativeTime)
    if (isObject(value) && text.length > MAX_LINE_CHARS) {
      const inner = isRecord(described) ? displayRecord(value as Row) : displayDetails(value as Row, described)
      tables.push(`\n${label(field)}:\n${indented(inner)}`)
    } else lines.push([`${label(field)}:`, text])
  }
  const widest = lines.reduce((most, [name]) => Math.max(most, name.length), 0)
  const text = [...lines.map(([name, value]) => `${name.padEnd(widest)}  ${value}`), ...tables].join('\n')
  return text.replace(/^\n/, '') || 'None'
}

/** One line per member, whose name is not ours. */
function displayRecord(value: Row): string {
  const lines = Object.entries(value).map(([name, part]) => `${cleanLine(name)}: ${display(part)}`)
  return lines.join('\n')
}

/** Longer objects are shown with a line for each field. */
const MAX_LINE_CHARS = 100

/** "Nov 16, 2026, 7:20 AM UTC (5 min ago)" */
function withRelativeTime(at: string): string {
  const [absolute, relative] = [displayTime(at), relativeTime(at)]
  return absolute === relative ? absolute : `${absolute} (${relative})`
}

/** A column for each field of the schema that some item has. */
export function columnsOf(items: readonly Row[], schema: JsonSchema): readonly Column[] {
  const names = Object.keys(fieldsOf(schema)).length > 0 ? Object.keys(fieldsOf(schema)) : Object.keys(items[0] ?? {})
  const used = names.filter((name) => items.some((item) => item[name] !== null && item[name] !== undefined))
  return used.map(columnOf)
}

export function columnOf(field: string): Column {
  return [label(field).toUpperCase(), field]
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

/** `lastCheckedAt` as "Last checked", `intervalSeconds` as "Interval". */
function label(field: string): string {
  return capitalized(field.replace(/(?<=[a-z\d])(At|Seconds|Sec|Ms|Days)$/, ''))
}

/** A number with its unit, by the name of its field. Undefined if it has none. */
function measured(field: string, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  if (/(^|\.)uptime(\d+[dh]|AtLeast|AtMost)?$/.test(field)) return percent(value)
  if (/(Seconds|Sec)$/.test(field)) return `${value} s`
  if (field.endsWith('Ms')) return value < MIN_DURATION_MS ? `${value} ms` : durationText(value)
  return field.endsWith('Days') ? `${value} days` : undefined
}

/** From here on milliseconds are a duration, and not a response time. */
const MIN_DURATION_MS = 100_000

/** Rounded down, so that 100% means no outage. */
function percent(share: number): string {
  return `${Math.floor(share * 10_000) / 100}%`
}

/** Whether a schema describes a page of a list; then the schema of an item. */
export function itemSchema(answer: JsonSchema): JsonSchema | undefined {
  const { data, pagination } = fieldsOf(answer)
  return pagination !== undefined && data !== undefined && typeOf(data) === 'array' ? (data.items ?? {}) : undefined
}
