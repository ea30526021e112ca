import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Database, Engine } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { freshDatabase } from '../support/postgres.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly database: Database
  /** The SQLite file and the PostgreSQL URL, for direct access. */
  readonly file: string
  readonly url: string
  /** Opens the same database again, as another node or process would. */
  open(): Promise<Database>
}

/** A new empty database without tables. */
export async function newTestDatabase(engine: Engine): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-storage-'))
  const made = engine === 'postgres' ? await freshDatabase() : undefined
  const opened = new Set<Database>()
  const open = async (): Promise<Database> => {
    const rateLimit = { quota: 100, windowMs: 60_000 }
    const options = { databaseUrl: made?.url, poolSize: 5, dataDir, rateLimit }
    const database = await openDatabase(options, systemClock, silentLog)
    opened.add(database)
    return {
      ...database,
      close() {
        opened.delete(database)
        return database.close()
      },
    }
  }
  return {
    database: await open(),
    file: join(dataDir, 'pharos.db'),
    url: made?.url ?? '',
    open,
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close()
      await made?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
