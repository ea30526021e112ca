import type { SourceObject } from '../collection.ts'
import { parsed } from '../json-files.ts'

/** A row of a table, by column. */
export type Row = Readonly<Record<string, unknown>>

/**
 * The tables that are read, with the columns that every Kuma since 1.23 has and that the reader cannot do without. The others hold
 * history, sessions and caches.
 */
export const knownTables = {
  monitor: ['id', 'name', 'type', 'active', 'interval', 'url', 'hostname', 'port', 'parent', 'method', 'maxretries'],
  notification: ['id', 'name', 'is_default', 'config'],
  monitor_notification: ['monitor_id', 'notification_id'],
  tag: ['id', 'name'],
  monitor_tag: ['monitor_id', 'tag_id', 'value'],
  status_page: ['id', 'slug', 'title', 'published', 'theme'],
  status_page_cname: ['status_page_id', 'domain'],
  group: ['id', 'name', 'status_page_id', 'weight'],
  monitor_group: ['monitor_id', 'group_id', 'weight'],
  incident: ['id', 'title', 'status_page_id'],
  maintenance: ['id', 'title', 'strategy', 'active', 'start_date', 'end_date', 'timezone', 'cron', 'duration'],
  monitor_maintenance: ['monitor_id', 'maintenance_id'],
  maintenance_status_page: ['status_page_id', 'maintenance_id'],
  proxy: ['id', 'protocol', 'host', 'port'],
  docker_host: ['id', 'name'],
  api_key: ['id', 'name'],
  user: ['id', 'username'],
  setting: ['key', 'value'],
} as const satisfies Record<string, readonly string[]>

/** Tables of Kuma 2. */
const laterTables = { remote_browser: ['id', 'name'], domain_expiry: ['domain'] } as const

export type TableName = keyof typeof knownTables | keyof typeof laterTables

export const tableNames = [...Object.keys(knownTables), ...Object.keys(laterTables)] as TableName[]

export type Tables = Readonly<Record<TableName, readonly Row[]>>

/** A sentence for each column that the reader misses. */
export function missingColumns(table: TableName, columns: ReadonlySet<unknown>): readonly string[] {
  const needed: readonly string[] = { ...knownTables, ...laterTables }[table]
  return needed
    .filter((name) => !columns.has(name))
    .map((name) => `The column ${name} of the table ${table} is missing.`)
}

/** Empty if there is none. Settings in JSON may have objects, which are no text. */
export function textOf(row: Row, column: string): string {
  const value = row[column]
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
}

/** The object that a row is, as the report names it. */
export function objectWith(kind: string, nameColumn = 'name'): (row: Row) => SourceObject {
  return (row) => ({ kind, sourceId: String(numberOf(row, 'id') ?? 0), name: textOf(row, nameColumn) })
}

/** Undefined if it is absent or no number. */
export function numberOf(row: Row, column: string): number | undefined {
  const text = textOf(row, column)
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

export function isSet(row: Row, column: string): boolean {
  return numberOf(row, column) === 1
}

/** The value of a column that holds JSON; undefined if it is empty or malformed. */
export function jsonOf(row: Row, column: string): unknown {
  return parsed(textOf(row, column))
}

/** The value of a setting, which is JSON; undefined if it is not set. */
export function settingOf({ setting }: Tables, key: string): unknown {
  const row = setting.find((one) => textOf(one, 'key') === key)
  return row && jsonOf(row, 'value')
}
