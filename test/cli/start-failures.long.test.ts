import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { listen } from '../outbound/fixtures.ts'
import { forEachEngine } from '../support/engines.ts'
import {
  assertStartFails,
  assertStartFailsIn,
  type Env,
  openShell,
  type Shell,
  startServer,
} from '../support/pharos-process.ts'
import { emptyWorkspace } from '../support/workspace.ts'

/** Some starts are processes of their own, which proves their exit code. The others share one, which saves time. */
let shell: Shell
before(() => {
  shell = openShell({})
})
after(() => shell[Symbol.asyncDispose]())

describe('the start fails with one sentence for', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-cli-'))
    writeFileSync(join(folder, 'file'), '')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('a data folder that cannot be created', () =>
    assertStartFails(
      { PHAROS_DATA_DIR: join(folder, 'file', 'data') },
      /^PHAROS_DATA_DIR: cannot open the database .*file\/data.* for writing/,
    ))

  test('a database that refuses connections; the password is not printed', () =>
    assertStartFailsIn(
      shell,
      { DATABASE_URL: 'postgres://pharos:geheim@127.0.0.1:1/pharos' },
      /^DATABASE_URL: cannot connect to postgres:\/\/\*\*\*@127\.0\.0\.1:1\/pharos: .*ECONNREFUSED/,
    ))

  test('a database that accepts the connection and does not answer', async () => {
    await using silent = await listen(createServer())
    await assertStartFailsIn(
      shell,
      { DATABASE_URL: `postgres://pharos:geheim@127.0.0.1:${silent.port}/pharos` },
      /^DATABASE_URL: cannot connect to (?!.*geheim)/,
    )
  })

  test('an invalid database URL', () =>
    assertStartFailsIn(shell, { DATABASE_URL: 'postgres://[half:5432/x' }, /^DATABASE_URL: cannot connect to /))

  test('a SQLite file that is not a database', () => {
    mkdirSync(join(folder, 'odd'))
    writeFileSync(join(folder, 'odd', 'pharos.db'), 'this is not a database, it only has the name of one'.repeat(99))
    return assertStartFailsIn(
      shell,
      { PHAROS_DATA_DIR: join(folder, 'odd') },
      /^PHAROS_DATA_DIR: .*pharos\.db.*not a database/,
    )
  })

  test('a key file without a valid key', () => {
    mkdirSync(join(folder, 'keyless'))
    writeFileSync(join(folder, 'keyless', 'secret.key'), 'short\n')
    return assertStartFailsIn(
      shell,
      { PHAROS_DATA_DIR: join(folder, 'keyless') },
      /secret\.key is not a valid encryption key \(32 bytes in base64\); restore it from a backup/,
    )
  })

  test('a listen address that this machine does not have', () =>
    assertStartFailsIn(
      shell,
      { HOST: '203.0.113.7', PHAROS_DATA_DIR: join(folder, 'a') },
      /^HOST: cannot listen on 203\.0\.113\.7/,
    ))

  test('a port in use, for the server or for metrics', async () => {
    await using taken = await listen(createServer())
    const { port } = taken
    const env = { PHAROS_DATA_DIR: join(folder, 'b') }
    await assertStartFails({ ...env, PORT: `${port}` }, new RegExp(`^PORT: 127\\.0\\.0\\.1:${port} is already in use`))
    await assertStartFailsIn(
      shell,
      { ...env, PHAROS_METRICS_LISTEN: `127.0.0.1:${port}` },
      new RegExp(`^PHAROS_METRICS_LISTEN: cannot listen on 127\\.0\\.0\\.1:${port}: `),
    )
  })

  test('a data folder that another server is using', async () => {
    const env = { PHAROS_DATA_DIR: join(folder, 'c') }
    await using _first = await startServer(env)
    await assertStartFailsIn(
      shell,
      env,
      /^Another Pharos server is using the data folder .*c; stop it or set PHAROS_DATA_DIR/,
    )
  })
})

forEachEngine('the start fails with a database', (engine) => {
  test('whose secrets are sealed with another key, or whose schema is newer', async () => {
    await using place = await emptyWorkspace(engine)
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64')
    {
      await using first = await startServer({ ...place.env, PHAROS_SECRET_KEY: key(1) })
      first.signal('SIGTERM')
      assert.deepEqual(await first.ended, { code: 0, signal: null })
    }
    await assertStartFails(
      { ...place.env, PHAROS_SECRET_KEY: key(2) },
      /^PHAROS_SECRET_KEY: the database is encrypted with key [0-9a-f]{8}, which is not configured here/,
    )
    {
      // Key rotation: the first key seals from now on, the second only opens.
      await using rotated = await startServer({ ...place.env, PHAROS_SECRET_KEY: `${key(2)},${key(1)}` })
      rotated.signal('SIGTERM')
      await rotated.ended
    }
    await assertStartFailsIn(shell, { ...place.env, PHAROS_SECRET_KEY: key(1) }, /^PHAROS_SECRET_KEY: /)
    await pretendNewerSchema(place.env)
    await assertStartFailsIn(
      shell,
      { ...place.env, PHAROS_SECRET_KEY: key(2) },
      /^The database was upgraded by a newer version of Pharos \(schema 9999,/,
    )
    const doctor = await shell.runWith({ ...place.env, PHAROS_SECRET_KEY: key(2) }, 'doctor')
    assert.equal(doctor.code, 1)
    assert.match(doctor.stdout, /✗ database +The database was upgraded by a newer version of Pharos/)
  })
})

async function pretendNewerSchema(env: Env): Promise<void> {
  const row = "insert into migrations (id, name, applied_at, compatible_from) values (9999, 'of the future', 0, 9999)"
  if (env.DATABASE_URL === undefined) {
    const database = new DatabaseSync(join(env.PHAROS_DATA_DIR as string, 'pharos.db'))
    database.exec(row)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  await client.query(row)
  await client.end()
}
