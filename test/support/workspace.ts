import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Database, Engine } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { type FreshDatabase, freshDatabase, migratedDatabase } from './postgres.ts'
import { writeMigratedFile } from './sqlite.ts'

/** Where the servers and commands of a test keep their data: a data folder, and on PostgreSQL a database. */
export interface Workspace extends AsyncDisposable {
  /** For files of the test; the data folder is in it. */
  readonly folder: string
  /** Points processes to the data. */
  readonly env: Readonly<Record<string, string>>
  /** Points servers of this process to the data. */
  readonly storage: { readonly dataDir: string; readonly databaseUrl?: string }
  /** Opens the database, as another node or process would. It is closed with the workspace, if not before. */
  open(): Promise<Database>
}

/** Without tables: the first start creates them. */
export async function emptyWorkspace(engine: Engine): Promise<Workspace> {
  return workspace(engine === 'postgres' ? await freshDatabase() : undefined)
}

/** With all tables: a copy, which takes a tenth of the time of the migrations. */
export async function migratedWorkspace(engine: Engine): Promise<Workspace> {
  const created = workspace(engine === 'postgres' ? await migratedDatabase() : undefined)
  if (engine === 'sqlite') await writeMigratedFile(created.storage.dataDir)
  return created
}

function workspace(created: FreshDatabase | undefined): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-test-'))
  const dataDir = join(folder, 'data')
  const opened = new Set<Database>()
  return {
    folder,
    env: { PHAROS_DATA_DIR: dataDir, ...(created && { DATABASE_URL: created.url }) },
    storage: { dataDir, ...(created && { databaseUrl: created.url }) },
    async open() {
      const rateLimit = { quota: 100, windowMs: 60_000 }
      const options = { databaseUrl: created?.url, poolSize: 5, dataDir, rateLimit }
      const database = await openDatabase(options, systemClock, silentLog)
      opened.add(database)
      return {
        ...database,
        close() {
          opened.delete(database)
          return database.close()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close()
      await created?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
