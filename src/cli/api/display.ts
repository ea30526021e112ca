import { isTime } from '../../contract/patterns.ts'
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
      const text = display(part, fields[name])
      return `${label(name)}: ${isObject(part) ? `(${text})` : text}${unit(name, part)}`
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
): string {
  const cells = rows.map((row) => columns.map(([, field]) => cellOf(row, field, schema, timeText)))
  return table(
    columns.map(([heading]) => heading),
    cells,
  )
}

function cellOf(row: Row, field: Column[1], schema: JsonSchema, timeText: TimeText): string {
  if (typeof field === 'function') return display(field(row))
  let [value, described]: [unknown, JsonSchema | undefined] = [row, schema]
  for (const part of field.split('.')) {
    value = (value as Row | null | undefined)?.[part]
    described = fieldsOf(described)[part]
  }
  return display(value, described, timeText)
}

/** One line per field that has a value, and a table per list of objects. */
export function displayDetails(resource: Row, schema: JsonSchema): string {
  const fields = fieldsOf(schema)
  const lines: (readonly [string, string])[] = []
  const tables: string[] = []
  for (const [field, value] of Object.entries(resource)) {
    const described = fields[field] ?? {}
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
    if (isEmpty) continue
    if (Array.isArray(value) && typeof value[0] === 'object') {
      tables.push(`\n${label(field)}:\n${indented(itemTable(value as Row[], described.items ?? {}))}`)
    } else lines.push([`${label(field)}:`, `${display(value, described, withRelativeTime)}${unit(field, value)}`])
  }
  const width = lines.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return [...lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`), ...tables].join('\n')
}

/** "Nov 16, 2026, 7:20 AM UTC (5 min ago)" */
function withRelativeTime(at: string): string {
  const [absolute, relative] = [displayTime(at), relativeTime(at)]
  return absolute === relative ? absolute : `${absolute} (${relative})`
}

/** The columns are the fields of the items. */
function itemTable(items: readonly Row[], schema: JsonSchema): string {
  return displayRows(columnsOf(items, schema), items, schema)
}

/** A column for each field of the schema that some item has. */
export function columnsOf(items: readonly Row[], schema: JsonSchema): readonly Column[] {
  const names = Object.keys(fieldsOf(schema)).length > 0 ? Object.keys(fieldsOf(schema)) : Object.keys(items[0] ?? {})
  const used = names.filter((name) => items.some((item) => item[name] !== null && item[name] !== undefined))
  return used.map((name) => [label(name).toUpperCase(), name])
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

/** `lastCheckedAt` as "Last checked", `intervalSeconds` as "Interval". */
function label(field: string): string {
  return capitalized(field.replace(/(?<=[a-z])(At|Seconds|Sec|Ms|Days)$/, ''))
}

function unit(field: string, value: unknown): string {
  if (typeof value !== 'number') return ''
  if (/(Seconds|Sec)$/.test(field)) return ' s'
  if (field.endsWith('Ms')) return ' ms'
  return field.endsWith('Days') ? ' days' : ''
}

/** Whether a schema describes a page of a list; then the schema of an item. */
export function itemSchema(answer: JsonSchema): JsonSchema | undefined {
  const { data, pagination } = fieldsOf(answer)
  return pagination !== undefined && data !== undefined && typeOf(data) === 'array' ? (data.items ?? {}) : undefined
}
