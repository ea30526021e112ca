import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { changedDatabase, type Version, versions } from '../../importers/kuma/databases.ts'
import { dumpOf } from '../../importers/kuma/dump.ts'

/** Databases of Uptime Kuma without their heartbeats, and how one of them looks in a dump. */
export interface SmallKuma {
  readonly databases: readonly Buffer[]
  readonly dump: string
}

let small: SmallKuma | undefined

export function smallKuma(): SmallKuma {
  small ??= { databases: versions.map((version) => emptied(version).bytes), dump: emptied('kuma-2.db.gz').dump }
  return small
}

function emptied(version: Version): { readonly bytes: Buffer; readonly dump: string } {
  using file = changedDatabase(version)
  const database = new DatabaseSync(file.path, { enableForeignKeyConstraints: false })
  const tables = database.prepare(
    `SELECT name FROM sqlite_schema WHERE name IN ('heartbeat', 'stat_minutely', 'stat_hourly', 'stat_daily')`,
  )
  for (const { name } of tables.all()) database.exec(`DELETE FROM ${name} WHERE id % 500 > 0`)
  database.exec('VACUUM')
  const dump = dumpOf(database)
  database.close()
  return { bytes: readFileSync(file.path), dump }
}

/** A change of one value in a row of a database. */
export interface CellChange {
  readonly table: number
  readonly column: number
  readonly row: number
  readonly value: string | number | null | Uint8Array
}

/** A database with other values in its rows. */
export function withCells(bytes: Uint8Array, changes: readonly CellChange[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-fuzz-'))
  try {
    const path = join(folder, 'kuma.db')
    writeFileSync(path, bytes)
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
      .all()
    for (const { table, column, row, value } of changes) {
      const { name } = tables[table % tables.length] as { name: string }
      const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(name)
      const { name: cell } = columns[column % columns.length] as { name: string }
      const ids = `SELECT rowid FROM "${name}" LIMIT 1 OFFSET ? % max(1, (SELECT count(*) FROM "${name}"))`
      try {
        database.prepare(`UPDATE "${name}" SET "${cell}" = ? WHERE rowid = (${ids})`).run(value, row)
      } catch {
        // A constraint of this table.
      }
    }
    database.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
