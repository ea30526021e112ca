import type { DatabaseSync } from 'node:sqlite'
import { WrongFileError } from '../result.ts'
import { openKumaDatabase } from './open-database.ts'
import { knownTables, missingColumns, type Row, type TableName, type Tables, tableNames } from './tables.ts'

/** How far the ids of a damaged table are tried one by one. */
const MAX_TRIED_ID = 100_000

/** The tables of a `kuma.db`. Adds to `unreadable` what could not be read. */
export function readDatabase(source: string | Uint8Array, name: string, unreadable: string[]): Tables {
  using database = openKumaDatabase(source)
  const { connection, isTruncated } = database
  const existing = tablesIn(connection, name)
  if (isTruncated) unreadable.push(`${name} is shorter than it should be: its end is missing.`)
  const tables = tableNames.map((table) => {
    if (!existing.has(table)) {
      if (table in knownTables) unreadable.push(`The table ${table} is missing.`)
      return [table, []]
    }
    const columns = new Set(
      connection
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map((row) => row.name),
    )
    unreadable.push(...missingColumns(table, columns))
    return [table, readTable(connection, table, unreadable)]
  })
  return Object.fromEntries(tables)
}

function tablesIn(connection: DatabaseSync, name: string): ReadonlySet<string> {
  try {
    const rows = connection.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    return new Set(rows.map((row) => String(row.name)))
  } catch (cause) {
    throw new WrongFileError(`${name} is too damaged to be read.`, { cause })
  }
}

function readTable(connection: DatabaseSync, table: TableName, unreadable: string[]): readonly Row[] {
  const rows = new Map<unknown, Row>()
  const add = (row: Row) => void rows.set(row.rowid, row)
  try {
    for (const row of connection.prepare(`SELECT rowid AS rowid, * FROM "${table}"`).iterate()) add(row)
  } catch {
    readIntactRows(connection, table, add)
    unreadable.push(`The table ${table} is damaged: ${rows.size} rows of it could be read.`)
  }
  return [...rows.values()]
}

/** Reads row by row, so that a damaged page costs only its own rows. */
function readIntactRows(connection: DatabaseSync, table: TableName, add: (row: Row) => void): void {
  const one = connection.prepare(`SELECT rowid AS rowid, * FROM "${table}" WHERE rowid = ?`)
  const last = lastId(connection, table)
  for (let id = 1; id <= last; id += 1) {
    try {
      const row = one.get(id)
      if (row !== undefined) add(row)
    } catch {
      // Its page is damaged, which the caller reports.
    }
  }
}

function lastId(connection: DatabaseSync, table: TableName): number {
  try {
    const row = connection.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)
    return Math.min(Number(row?.seq ?? MAX_TRIED_ID), MAX_TRIED_ID)
  } catch {
    return MAX_TRIED_ID
  }
}
