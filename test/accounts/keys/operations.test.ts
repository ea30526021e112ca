import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'

forEachEngine('API keys in the dashboard', (engine) => {
  const installation = useInstallation(engine)
  const works = async (key: string): Promise<boolean> => {
    const { status } = await installation.server.client(key).get('/monitors')
    assert.ok(status === 200 || status === 401)
    return status === 200
  }

  test('are shown once, listed with a hint, and stay revoked', async () => {
    const { owner } = installation
    const { status, body } = await owner.post('/keys', { name: 'CI', access: 'read-only' })
    assert.equal(status, 201)
    assert.match(body.key, /^phr_[\w-]{43}$/)
    assert.deepEqual([body.name, body.access, body.status, body.expiresAt], ['CI', 'read-only', 'active', null])
    assert.ok(await works(body.key))
    assert.equal(
      (await installation.server.client(body.key).post('/monitors', { name: 'x', type: 'CRON' })).status,
      403,
    )
    const { body: list } = await owner.get('/keys')
    assert.equal(list.data[0].id, body.id)
    assert.ok(!JSON.stringify(list).includes(body.key))
    assert.deepEqual((await owner.delete(`/keys/${body.id}`)).body, { data: { id: body.id } })
    assert.ok(!(await works(body.key)))
    assert.equal((await owner.post(`/keys/${body.id}/enable`)).status, 409)
    assert.equal((await owner.get('/keys')).body.data[0].status, 'revoked')
    const stored = await installation.server.running.database.read(execute(q.selectFrom('api_keys').selectAll()))
    assert.ok(!JSON.stringify(stored).includes(body.key))
  })

  test('are refused while disabled', async () => {
    const { body } = await installation.owner.post('/keys', { name: 'a', access: 'full' })
    assert.equal((await installation.owner.post(`/keys/${body.id}/disable`)).body.status, 'disabled')
    assert.ok(!(await works(body.key)))
    assert.equal((await installation.owner.post(`/keys/${body.id}/enable`)).body.status, 'active')
    assert.ok(await works(body.key))
  })

  test('are replaced with an overlap, or immediately', async () => {
    const { body: old } = await installation.owner.post('/keys', { name: 'worker', access: 'full' })
    const { status, body: next } = await installation.owner.post(`/keys/${old.id}/replace`, { overlapSeconds: 3600 })
    assert.deepEqual([status, next.name, next.access, next.expiresAt], [201, 'worker', 'full', null])
    assert.ok((await works(old.key)) && (await works(next.key)))
    const listed = (await installation.owner.get('/keys')).body.data.find(({ id }: { id: string }) => id === old.id)
    const inMs = Date.parse(listed.expiresAt) - Date.now()
    assert.ok(inMs > 3_500_000 && inMs <= 3_600_000)
    const { body: last } = await installation.owner.post(`/keys/${next.id}/replace`, { overlapSeconds: 0 })
    assert.ok(!(await works(next.key)) && (await works(last.key)))
  })

  test('expire at a given time, which must be in the future', async () => {
    const soon = new Date(Date.now() + DAY_MS).toISOString()
    assert.equal(
      (await installation.owner.post('/keys', { name: 'a', access: 'full', expiresAt: soon })).body.expiresAt,
      soon,
    )
    const past = { name: 'a', access: 'full', expiresAt: '2020-01-01T00:00:00Z' }
    assert.equal((await installation.owner.post('/keys', past)).body.error.details[0].path, 'expiresAt')
  })

  test('of another organization cannot be seen or changed', async () => {
    const { orgId } = await installation.server.organization('FREE')
    const { keyId, key } = await installation.server.makeKey(orgId, 'full')
    for (const answer of [
      await installation.owner.delete(`/keys/${keyId}`),
      await installation.owner.post(`/keys/${keyId}/disable`),
      await installation.owner.post(`/keys/${keyId}/replace`),
    ]) {
      assert.equal(answer.status, 404)
    }
    assert.ok(await works(key))
    assert.ok(!JSON.stringify((await installation.owner.get('/keys')).body).includes(keyId))
  })
})
