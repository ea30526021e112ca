import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { withoutPostgres } from './engines.ts'
import { eventually } from './eventually.ts'
import { freshDatabase, migratedDatabase } from './postgres.ts'
import { findServerPrograms } from './postgres-cluster.ts'

async function rowsOf(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a fresh database answers', { skip: withoutPostgres }, async () => {
  await using database = await freshDatabase()
  assert.deepEqual(await rowsOf(database.url, 'select 1 as one'), [{ one: 1 }])
})

test('a migrated database is a copy with all tables', { skip: withoutPostgres }, async () => {
  await using database = await migratedDatabase()
  assert.deepEqual(await rowsOf(database.url, 'select count(*)::int as n from monitors'), [{ n: 0 }])
})

test('fresh databases created at the same moment share nothing', { skip: withoutPostgres }, async () => {
  const databases = await Promise.all(Array.from({ length: 4 }, () => freshDatabase()))
  const [first, ...others] = databases
  assert.ok(first)
  await rowsOf(first.url, 'create table mine (id text)')
  for (const other of others) {
    assert.deepEqual(await rowsOf(other.url, `select to_regclass('mine') as found`), [{ found: null }])
  }
  for (const database of databases) await database.drop()
})

test('a dropped database is gone, and dropping it twice is no error', { skip: withoutPostgres }, async () => {
  const database = await freshDatabase()
  await database.drop()
  await database.drop()
  await assert.rejects(rowsOf(database.url, 'select 1'), { code: '3D000' })
})

const programs = findServerPrograms()
const withoutPrograms = programs ? false : 'there are no PostgreSQL server programs'

test('a cluster ends and its folder goes when the run that started it is killed', {
  skip: withoutPrograms,
}, async () => {
  const script = `
    import { startCluster } from ${JSON.stringify(new URL('./postgres-cluster.ts', import.meta.url).href)}
    const cluster = await startCluster(${JSON.stringify(programs)})
    process.stdout.write(new URL(cluster.url).searchParams.get('host'))
    setInterval(() => {}, 1000)`
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [home] = (await once(run.stdout, 'data')).map(String)
  assert.ok(home && existsSync(`${home}/.s.PGSQL.5432`))
  run.kill('SIGKILL')
  await eventually(async () => assert.equal(existsSync(home), false))
})
