import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Ended, pharos, startServer } from '../support/pharos-process.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

const CRON = { name: 'a', type: 'CRON' }

forEachEngine('upkeep beside a running server', (engine) => {
  const at = new CommandLine(engine)

  test('every command works as a process of its own, with --json for programs', async () => {
    const run = async (...args: string[]) => {
      const ended: Ended = await pharos([...args, '--json'], { env: at.env })
      assert.deepEqual([ended.code, ended.stderr], [0, ''], args.join(' '))
      return JSON.parse(ended.stdout)
    }
    const org = await run('orgs', 'create', '--name', 'Own', '--plan', 'PRO')
    assert.equal((await run('orgs', 'set', org.slug, '--subscription', 'inactive')).subscription, 'inactive')
    assert.deepEqual((await run('orgs', 'list')).at(-1), { ...org, subscription: 'inactive' })
    const { key, ...made } = await run('keys', 'create', '--org', org.id, '--name', 'k', '--access', 'full')
    assert.match(key, /^phr_/)
    assert.equal((await run('keys', 'revoke', made.id)).status, 'revoked')
    assert.deepEqual(await run('keys', 'list', '--org', org.id), [{ ...made, status: 'revoked' }])
    assert.deepEqual((await run('migrate')).applied, [])
    assert.equal((await run('doctor')).problems, 0)
  })

  test('migrate has nothing to do', async () => {
    assert.match(await at.text('migrate'), /^Nothing to do: the schema is at \d+ \(/)
  })

  test('doctor sees the server and finds no fault', async () => {
    const text = await at.text('doctor')
    assert.match(text, /✓ database +.*schema up to date/)
    assert.match(text, /✓ server +running and ready at/)
    assert.match(text, /All is well\.\n$/)
    const { findings } = await at.json('doctor')
    assert.ok(findings.every(({ state }: { state: string }) => state !== 'problem'))
  })

  test('a backup is whole, and a server started from it has everything', async () => {
    const file = join(at.place.folder, 'pharos.db')
    if (engine === 'postgres') {
      assert.equal(await at.refusal(`backup ${file}`), 'The database is PostgreSQL: back it up with pg_dump')
      return
    }
    const client = at.server.client(BOOTSTRAP_KEY)
    const before = (await client.get('/monitors')).body.pagination.total
    let writes = 0
    const writing = (async () => {
      while (!existsSync(file) || writes < 50) {
        writes += 1
        await client.post('/monitors', CRON, { 'idempotency-key': `w${writes}` })
      }
    })()
    assert.ok((await at.json(`backup ${file}`)).pages > 0)
    await writing
    assert.equal(integrityOf(file), 'ok')
    const secret = readFileSync(join(at.place.env.PHAROS_DATA_DIR as string, 'secret.key'), 'utf8').trim()
    await using restored = await startServer({ PHAROS_DATA_DIR: at.place.folder, PHAROS_SECRET_KEY: secret })
    const total = (await restored.client(BOOTSTRAP_KEY).get('/monitors')).body.pagination.total
    assert.ok(total >= before && total <= before + writes, `${before} ≤ ${total} ≤ ${before + writes}`)
    const again = await restored.client(BOOTSTRAP_KEY).post('/monitors', CRON, { 'idempotency-key': 'w1' })
    assert.equal(again.status, 201, 'what was sealed can be opened')
  })

  test('a backup overwrites nothing and names what it cannot write', async () => {
    if (engine === 'postgres') return
    const taken = join(at.place.folder, 'data', 'pharos.db')
    assert.match(await at.refusal(`backup ${taken}`), /exists already; name a new file/)
    const nowhere = join(at.place.folder, 'nowhere', 'copy.db')
    assert.match(await at.refusal(`backup ${nowhere}`), /copy\.db cannot be written/)
  })
})

function integrityOf(file: string): unknown {
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    return copy.prepare('pragma integrity_check').get()?.integrity_check
  } finally {
    copy.close()
  }
}
