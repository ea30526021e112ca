import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Database, Engine } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { freshDatabase } from '../support/postgres.ts'

export interface Ground extends AsyncDisposable {
  readonly database: Database
  /** Where it is, for those who look past Pharos. */
  readonly file: string
  readonly url: string
  /** Another way into the same database: another node, or another process. */
  open(): Promise<Database>
}

/** An empty database of its own, with nothing migrated. */
export async function newGround(engine: Engine): Promise<Ground> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-storage-'))
  const made = engine === 'postgres' ? await freshDatabase() : undefined
  const opened = new Set<Database>()
  const open = async (): Promise<Database> => {
    const rule = { quota: 100, windowMs: 60_000 }
    const options = { databaseUrl: made?.url, poolSize: 5, dataDir, rule }
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
