import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createPrivateFolder } from '../../src/lib/private-files.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'

let template: Promise<Buffer> | undefined

/** A new folder that holds a database with all migrations applied. */
export async function migratedDataDir(): Promise<string> {
  const folder = emptyDataDir()
  await writeMigratedFile(folder)
  return folder
}

/** Writes a database with all migrations applied into a folder, which it creates. */
export async function writeMigratedFile(folder: string): Promise<void> {
  template ??= migratedFile()
  createPrivateFolder(folder)
  writeFileSync(join(folder, SQLITE_FILE), await template, { mode: 0o600 })
}

async function migratedFile(): Promise<Buffer> {
  const dataDir = emptyDataDir()
  try {
    const rateLimit = { quota: 1, windowMs: 1_000 }
    const options = { databaseUrl: undefined, poolSize: 1, dataDir, rateLimit, sqliteSynchronous: 'off' as const }
    const database = await openDatabase(options, systemClock, silentLog)
    await migrate(database, Date.now())
    // Closing moves everything from the log into the file.
    await database.close()
    return readFileSync(join(dataDir, SQLITE_FILE))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A new empty folder; its user removes it. */
export function emptyDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'pharos-test-'))
}
