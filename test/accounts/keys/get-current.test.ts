import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'

forEachEngine('GET /me', (engine) => {
  const api = useApi(engine)

  test('says whose the key is, what it may do, and what the plan allows', async () => {
    const { client, reader, orgId } = await api.tenant('FREE')
    const { status, body: me } = await (await reader()).get('/me')
    assert.deepEqual([status, me.key.access, me.key.expiresAt], [200, 'READ_ONLY', null])
    assert.match(me.key.id, /^key_/)
    assert.equal(me.key.hint.length, 4)
    assert.deepEqual([me.organization.id, me.plan], [orgId, 'FREE'])
    assert.deepEqual([me.limits.monitors, me.limits.fastestIntervalSeconds], [10, 300])
    assert.equal((await client.get('/me')).body.key.access, 'FULL')
  })
})
