import { closeSync, openSync, readSync } from 'node:fs'
import { WrongFileError } from '../result.ts'
import { knownTables, missingColumns, type Row, type TableName, type Tables, tableNames } from './tables.ts'

const CHUNK_BYTES = 1 << 20
const NEW_LINE = 0x0a
/** How much of a line tells whether it is needed. */
const PREFIX_BYTES = 100

/** The tables of a `mysqldump` or `mariadb-dump` of a Kuma 2. */
export function readDump(source: string | Uint8Array, name: string, unreadable: string[]): Tables {
  const tables = Object.fromEntries(tableNames.map((table) => [table, [] as Row[]])) as Record<TableName, Row[]>
  const { columns, isComplete } = scanDump(source, tableNames, (table, row) => void tables[table].push(row))
  if (!columns.has('monitor') && tables.monitor.length === 0)
    throw new WrongFileError(`${name} is neither a kuma.db nor a dump of one: it has no table monitor.`)
  if (!isComplete) unreadable.push(`${name} is cut off: its end is missing.`)
  for (const table of Object.keys(knownTables)) {
    const names = columns.get(table)
    if (names === undefined) unreadable.push(`The table ${table} is missing.`)
    else unreadable.push(...missingColumns(table as TableName, new Set(names)))
  }
  return tables
}

interface Scanned {
  /** The names of the columns of each table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  readonly isComplete: boolean
}

/** Reads the rows of some tables. Dumps escape line breaks in values, so that a line is never inside of one. */
export function scanDump<T extends string>(
  source: string | Uint8Array,
  wanted: readonly T[],
  add: (table: T, row: Row) => void,
): Scanned {
  const isWanted = (table: string): table is T => (wanted as readonly string[]).includes(table)
  const columns = new Map<string, string[]>()
  let created: string[] | undefined
  /** Dumps begin and end with a comment, unless they have none at all. */
  let isComplete = true
  /** The table whose rows follow. */
  let filled: { readonly table: T; readonly names: readonly string[] } | undefined

  for (const line of linesOf(source, isWanted)) {
    if (/^-- (MySQL|MariaDB) dump/.test(line)) isComplete = false
    else if (line.startsWith('-- Dump completed')) isComplete = true
    const create = /^CREATE TABLE (?:IF NOT EXISTS )?`(\w+)`/.exec(line)
    if (create) {
      created = []
      columns.set(create[1] as string, created)
    } else if (created !== undefined && line.startsWith(' ')) {
      const column = /^\s+`([^`]+)`/.exec(line)
      if (column) created.push(column[1] as string)
    } else {
      created = undefined
    }
    const insert = insertInto.exec(line)
    if (insert) {
      const [, table = '', list] = insert
      const names = list?.split(',').map((part) => part.trim().replaceAll('`', '')) ?? columns.get(table) ?? []
      filled = isWanted(table) ? { table, names } : undefined
    }
    if (filled === undefined || !(insert || line.startsWith('('))) continue
    for (const values of tuplesIn(line.slice(insert?.[0].length ?? 0))) {
      add(filled.table, Object.fromEntries(filled.names.map((column, i) => [column, values[i]])))
    }
    if (line.endsWith(';')) filled = undefined
  }
  return { columns, isComplete }
}

const insertInto = /^INSERT (?:IGNORE )?INTO `(\w+)`\s*(?:\(([^)]*)\))?\s*VALUES\s*/

/** Lines that are needed, as text. Rows of other tables, such as heartbeats, do not become texts. */
function* linesOf(source: string | Uint8Array, isWanted: (table: string) => boolean): Generator<string> {
  for (const line of rawLinesOf(source)) {
    const table = /^INSERT (?:IGNORE )?INTO `(\w+)`/.exec(line.toString('latin1', 0, PREFIX_BYTES))?.[1]
    // Rows on lines of their own are always needed: their table was named before.
    if (table === undefined || isWanted(table)) yield line.toString().replace(/\r$/, '')
  }
}

function* rawLinesOf(source: string | Uint8Array): Generator<Buffer> {
  let parts: Buffer[] = []
  for (const chunk of chunksOf(source)) {
    let start = 0
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(Buffer.from(chunk.subarray(start)))
  }
  if (parts.length > 0) yield Buffer.concat(parts)
}

export function* chunksOf(source: string | Uint8Array): Generator<Buffer> {
  if (typeof source !== 'string') {
    yield Buffer.from(source.buffer, source.byteOffset, source.byteLength)
    return
  }
  const file = openSync(source, 'r')
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) yield buffer.subarray(0, bytes)
  } finally {
    closeSync(file)
  }
}

type Value = string | number | null

const token = /\(|\)|,|;|'((?:[^'\\]|\\[\s\S]|'')*)'|NULL|0x([0-9A-Fa-f]*)|-?\d[\d.eE+-]*|\s+|_binary/gy

/** The rows of `(1,'a'),(2,'b');`. A row that the end of the file cuts off is left out. */
function* tuplesIn(text: string): Generator<readonly Value[]> {
  let row: Value[] = []
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [whole, quoted, hex] = match
    if (whole === '(') row = []
    else if (whole === ')') yield row
    else if (quoted !== undefined) row.push(unescaped(quoted))
    else if (hex !== undefined) row.push(Buffer.from(hex, 'hex').toString())
    else if (whole === 'NULL') row.push(null)
    else if (/^[-\d]/.test(whole)) row.push(Number(whole))
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', 0: '\0', Z: '\x1a' }

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])|''/g, (_whole, letter?: string) =>
    letter === undefined ? "'" : (escapes[letter] ?? letter),
  )
}
