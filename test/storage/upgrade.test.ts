import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Engine } from '../../src/storage/database.ts'
import { migrations } from '../../src/storage/migrate.ts'
import { SQLITE_FILE } from '../../src/storage/sqlite/database.ts'
import { forEachEngine } from '../support/engines.ts'
import { nextMigrations } from '../support/next-migrations.ts'
import { connectTo, freshDatabase } from '../support/postgres.ts'
import { startTestServer } from '../support/server.ts'
import { emptyDataDir } from '../support/sqlite.ts'
import { assertFilled, contentOf, savedEnv } from './saved-databases/content.ts'

const folder = join(import.meta.dirname, 'saved-databases')

function savedBy(engine: Engine): readonly string[] {
  return globSync(`*.${engine}.gz`, { cwd: folder })
}

async function restoreInto(url: string, statements: string): Promise<void> {
  await using client = await connectTo(url)
  await client.query(statements)
}

/** Where servers find a copy of a saved database. */
async function restored(engine: Engine, file: string) {
  const content = gunzipSync(readFileSync(join(folder, file)))
  const dataDir = emptyDataDir()
  const database = engine === 'postgres' ? await freshDatabase() : undefined
  if (database === undefined) writeFileSync(join(dataDir, SQLITE_FILE), content, { mode: 0o600 })
  else await restoreInto(database.url, content.toString())
  return {
    storage: { dataDir, ...(database && { databaseUrl: database.url }) },
    async [Symbol.asyncDispose]() {
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

forEachEngine('upgrade', (engine) => {
  for (const file of savedBy(engine)) {
    const version = basename(file, `.${engine}.gz`)

    test(`a database of ${version} keeps its data in this version, in the next one, and after the return`, async () => {
      await using saved = await restored(engine, file)
      // Nothing is checked, so that nothing changes by itself.
      const env = { ...savedEnv, PHAROS_ROLES: 'api', PHAROS_BASE_URL: 'http://pharos.test' }
      const contents: object[] = []
      for (const migrations of [undefined, nextMigrations, undefined]) {
        const options = { ...saved.storage, env, ...(migrations && { migrations }) }
        await using server = await startTestServer(engine, options)
        contents.push(await contentOf(server))
        if (contents.length === 3) await assertFilled(server)
      }
      assert.deepEqual(contents[1], contents[0])
      assert.deepEqual(contents[2], contents[0])
    })
  }
})

/** The newest saved database is that of the version before, whose nodes still run when those of this one start. */
test('the version before this one can use its schema', async () => {
  const known: number[] = []
  for (const file of savedBy('postgres')) {
    const text = gunzipSync(readFileSync(join(folder, file))).toString()
    for (const [, id] of text.matchAll(/^INSERT INTO public\.migrations VALUES \((\d+),/gm)) known.push(Number(id))
  }
  assert.ok(known.length > 0)
  const newest = Math.max(...known)
  for (const { id, name, compatibleFrom } of migrations) {
    assert.ok(compatibleFrom <= newest, `migration ${id} (${name}) breaks nodes that know migrations up to ${newest}`)
  }
})
