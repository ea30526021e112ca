import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'

const CRON = { name: 'a', type: 'CRON' }

forEachEngine('pharos keys', (engine) => {
  const cli = new CommandLine(engine)

  test('a new key works immediately, within its access and organization', async () => {
    const created = await cli.json('keys create --org default --name', 'For reading', '--access', 'read-only')
    assert.match(created.key, /^phr_[A-Za-z0-9_-]{43}$/)
    assert.equal(created.hint, created.key.slice(-4))
    assert.equal(created.status, 'active')
    const reader = cli.server.client(created.key)
    assert.equal((await reader.get('/monitors')).status, 200)
    assert.equal((await reader.post('/monitors', CRON)).body.error.code, 'forbidden')
    const stdout = await cli.text('keys create --org default --name t --access full')
    const shown = /^phr_[\w-]{43}$/m.exec(stdout)?.[0] ?? ''
    assert.equal((await cli.server.client(shown).post('/monitors', CRON)).status, 201)
    assert.match(stdout, /not shown again\. ID key_\w+, full access, does not expire\./)
  })

  test('a new key is for the only organization, and needs --org where there are several', async () => {
    const [{ id }] = await cli.json('orgs list')
    const created = await cli.json('keys create --access full')
    assert.deepEqual([created.orgId, created.name], [id, 'key'])
    const other = await cli.json('orgs create --name Other')
    for (const line of ['keys create --access full', 'keys list']) {
      const refused = await cli.usageError(line)
      assert.match(refused, /^Missing option --org ORG: there are several organizations, such as \S+, \S+\. Run/)
    }
    assert.equal((await cli.json(`keys create --access full --org ${other.slug}`)).orgId, other.id)
  })

  test('a key stops working when it expires', async () => {
    const short = await cli.json('keys create --org default --name short --access full --expires-in 3s')
    const client = cli.server.client(short.key)
    assert.equal((await client.get('/monitors')).status, 200)
    await delay(Math.max(0, Date.parse(short.expiresAt) - Date.now() + 50))
    assert.equal((await client.get('/monitors')).body.error.code, 'unauthorized')
    const listed = await cli.json('keys list --org default')
    assert.equal(listed.find(({ id }: { id: string }) => id === short.id).status, 'expired')
    const dated = await cli.json(
      'keys create --org default --name at --access full --expires-at 2999-01-31T12:00+02:00',
    )
    assert.equal(dated.expiresAt, '2999-01-31T10:00:00.000Z')
  })

  test('a revoked key is refused from the next request on, and revoking it again changes nothing', async () => {
    const { id, key } = await cli.json('keys create --org default --name doomed --access full')
    const client = cli.server.client(key)
    assert.equal((await client.get('/monitors')).status, 200)
    assert.match(await cli.text(`keys revoke ${id} --yes`), /^Revoked API key doomed \(key_\w+\)\n$/)
    assert.equal((await client.get('/monitors')).body.error.code, 'unauthorized')
    assert.equal((await cli.json(`keys revoke ${id} --yes`)).status, 'revoked')
  })

  test('the list contains no secrets', async () => {
    const { key } = await cli.json('keys create --org default --name secret --access full')
    const [text, data] = [await cli.text('keys list --org default'), await cli.text('keys list --org default --json')]
    assert.match(text, /^ID +KEY +ACCESS +STATUS +LAST USED +IP ADDRESS +CREATED BY +NAME\n/)
    for (const output of [text, data]) {
      assert.ok(output.includes(key.slice(-4)))
      assert.doesNotMatch(output, /phr_/)
      assert.ok(!output.includes(key.slice(4, 20)) && !output.includes('hash'))
    }
  })
})
