import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import type { Engine } from '../../src/storage/database.ts'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'
import { forEachEngine } from '../support/engines.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startTestServer } from '../support/server.ts'
import { emptyDataDir } from '../support/sqlite.ts'
import { assertFilled, savedEnv } from './saved-databases/content.ts'

const folder = join(import.meta.dirname, 'saved-databases')

function savedBy(engine: Engine): readonly string[] {
  return globSync(`*.${engine}.gz`, { cwd: folder })
}

async function restoreInto(url: string, statements: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statements)
  await client.end()
}

forEachEngine('upgrade', (engine) => {
  for (const file of savedBy(engine)) {
    test(`a database of ${basename(file, `.${engine}.gz`)} keeps its data, secrets and open incidents`, async () => {
      const content = gunzipSync(readFileSync(join(folder, file)))
      const dataDir = emptyDataDir()
      await using database = engine === 'postgres' ? await freshDatabase() : undefined
      if (database === undefined) writeFileSync(join(dataDir, SQLITE_FILE), content, { mode: 0o600 })
      else await restoreInto(database.url, content.toString())
      const databaseUrl = database?.url
      {
        await using server = await startTestServer(engine, {
          dataDir,
          env: savedEnv,
          ...(databaseUrl && { databaseUrl }),
        })
        await assertFilled(server)
      }
      rmSync(dataDir, { recursive: true, force: true })
    })
  }
})
