import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { type CommandResult, pharos, startServer } from '../support/pharos-process.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

const CRON = { name: 'a', type: 'CRON' }

forEachEngine('maintenance commands with a running server', (engine) => {
  const cli = new CommandLine(engine)

  test('commands work in processes of their own and print JSON with --json', async () => {
    const run = async (...args: string[]) => {
      const ended: CommandResult = await pharos([...args, '--json'], { env: cli.env })
      assert.deepEqual([ended.code, ended.stderr], [0, ''], args.join(' '))
      return JSON.parse(ended.stdout)
    }
    const org = await run('orgs', 'create', '--name', 'Own', '--plan', 'PRO')
    assert.equal((await run('orgs', 'set', org.slug, '--subscription', 'inactive')).subscription, 'inactive')
    const listed = (await run('orgs', 'list')).find(({ id }: { id: string }) => id === org.id)
    assert.deepEqual(listed, { ...org, subscription: 'inactive' })
    const { key, ...created } = await run('keys', 'create', '--org', org.id, '--name', 'k', '--access', 'full')
    assert.match(key, /^phr_/)
    assert.equal((await run('keys', 'revoke', created.id, '--yes')).status, 'revoked')
    assert.deepEqual(await run('keys', 'list', '--org', org.id), [{ ...created, status: 'revoked' }])
    assert.deepEqual((await run('migrate')).applied, [])
    assert.equal((await run('doctor')).problems, 0)
  })

  test('migrate has nothing to do', async () => {
    for (const options of [[], ['--dry-run']]) {
      assert.match(await cli.text('migrate', ...options), /^Schema is up to date \(version \d+\)\nDatabase: /)
    }
  })

  test('doctor finds the server and no problems', async () => {
    const text = await cli.text('doctor')
    assert.match(text, /✓ database +.*schema up to date/)
    assert.match(text, /! mail +PHAROS_SMTP_URL is not set/)
    assert.match(text, /✓ server +running and ready at/)
    assert.match(text, /No problems found, 1 warning\.\n$/)
    const { findings } = await cli.json('doctor')
    assert.ok(findings.every(({ state }: { state: string }) => state !== 'problem'))
  })

  test('a backup made during writes is consistent, and a server can start from it', async () => {
    const file = join(cli.workspace.folder, 'pharos.db')
    if (engine === 'postgres') {
      assert.equal(await cli.refusal(`backup ${file}`), 'Cannot back up PostgreSQL with this command; use pg_dump')
      return
    }
    const client = cli.server.client(BOOTSTRAP_KEY)
    const before = (await client.get('/monitors')).body.pagination.total
    let writes = 0
    const writing = (async () => {
      while (!existsSync(file) || writes < 50) {
        writes += 1
        await client.post('/monitors', CRON, { 'idempotency-key': `w${writes}` })
      }
    })()
    assert.ok((await cli.json(`backup ${file}`)).pages > 0)
    await writing
    assert.equal(integrityOf(file), 'ok')
    const secret = readFileSync(join(cli.workspace.env.PHAROS_DATA_DIR as string, 'secret.key'), 'utf8').trim()
    await using restored = await startServer({ PHAROS_DATA_DIR: cli.workspace.folder, PHAROS_SECRET_KEY: secret })
    const total = (await restored.client(BOOTSTRAP_KEY).get('/monitors')).body.pagination.total
    assert.ok(total >= before && total <= before + writes, `${before} ≤ ${total} ≤ ${before + writes}`)
    const again = await restored.client(BOOTSTRAP_KEY).post('/monitors', CRON, { 'idempotency-key': 'w1' })
    assert.equal(again.status, 201, 'sealed values can be opened')
  })

  test('backup does not overwrite files and names the file that it cannot write', async () => {
    if (engine === 'postgres') return
    const taken = join(cli.workspace.folder, 'data', 'pharos.db')
    assert.match(await cli.refusal(`backup ${taken}`), /already exists; choose another file name/)
    const nowhere = join(cli.workspace.folder, 'nowhere', 'copy.db')
    assert.match(await cli.refusal(`backup ${nowhere}`), /^Cannot write .*copy\.db: /)
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
