import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Database } from '../storage/database.ts'
import { compareSchema } from '../storage/migrate.ts'
import { SQLITE_FILE } from '../storage/sqlite/database.ts'
import { CommandError } from './command.ts'

/** The SQLite file, which must exist: a command in the wrong folder would create another installation there. */
export function requireDatabaseFile(dataDir: string): string {
  const file = resolve(dataDir, SQLITE_FILE)
  if (existsSync(file)) return file
  throw new CommandError(
    `No database at ${file}; set PHAROS_DATA_DIR to the data folder of the server, or create a database with "pharos start"`,
  )
}

/** The same for the tables of a PostgreSQL database. */
export async function requireTables(database: Database): Promise<void> {
  const { schema } = await database.read(compareSchema(database.engine))
  if (schema > 0) return
  throw new CommandError(
    `${database.location} has no tables of Pharos; set DATABASE_URL to the database of the server, or create them with "pharos start"`,
  )
}
