import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { claim, OWNER, Person } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'

forEachEngine('the last use of an API key', (engine) => {
  test('is stored with its time and address, of an IPv6 client the network', async () => {
    await using workspace = await migratedWorkspace(engine)
    const start = () =>
      startTestServer(engine, {
        ...workspace.storage,
        env: { PHAROS_ROLES: 'api', PHAROS_TRUST_PROXY: '127.0.0.1' },
      })
    const first = await start()
    const { key, id, ...created } = (await (await claim(first)).post('/keys', { name: 'CI', access: 'full' })).body
    assert.deepEqual([created.lastUsedAt, created.lastUsedAddress], [null, null])
    const before = Date.now()
    let server = first
    for (const [address, shown] of [
      ['203.0.113.7', '203.0.113.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ] as const) {
      const answer = await server.client(key).get('/monitors', { 'x-forwarded-for': address })
      assert.equal(answer.status, 200)
      // A node that stops writes the uses that it has in memory.
      await server.stop()
      server = await start()
      const owner = new Person(server)
      assert.equal((await owner.signIn(OWNER)).status, 200)
      const { data } = (await owner.get('/keys')).body
      const { lastUsedAt, lastUsedAddress } = data.find((one: { id: string }) => one.id === id)
      assert.ok(Date.parse(lastUsedAt) >= before)
      assert.equal(lastUsedAddress, shown)
    }
    await server.stop()
  })
})
