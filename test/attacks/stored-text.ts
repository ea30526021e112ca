import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import { execute } from '../../src/storage/query.ts'

/** Everything that an installation has stored: the bytes of the data folder, or all rows of all tables of PostgreSQL. */
export async function storedText(database: Database): Promise<string> {
  if (database.engine === 'sqlite') return folderText(dirname(database.location))
  const tables = await database.read(
    execute(sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`),
  )
  const texts = []
  for (const { name } of tables) {
    const rows = await database.read(
      execute(sql<{ text: string | null }>`select string_agg(t::text, ' ') as text from ${sql.table(name)} t`),
    )
    texts.push(rows[0]?.text ?? '')
  }
  return texts.join('\n')
}

/** The bytes of all files in a folder, as Latin-1. */
export function folderText(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
