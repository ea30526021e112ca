import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '../../../src/lib/seal.ts'
import { earlierSecrets, openSecret } from '../../../src/notifications/webhooks/secret.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { storedAnswers } from '../../support/tables.ts'
import { createEndpoint, currentEndpoint, endpointRow, withoutSecret } from '../../support/webhooks.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The key of every test server. */
const sealer = createSealer([Buffer.alloc(32, 7)])

forEachEngine('POST /webhook-endpoints/{endpointId}/rotate-secret', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })

  /** The stored secrets that sign. */
  async function secretsOf(orgId: string, id: string): Promise<string[]> {
    const row = await endpointRow(api.server, id)
    const valid = [row.secret, ...earlierSecrets(row, clock.now()).map(({ secret }) => secret)]
    return valid.map((sealed) => openSecret(sealer, orgId, id, sealed))
  }

  test('a new secret is given once, and the old one signs beside it for 24 hours', async () => {
    const { client, orgId } = await api.tenant()
    const before = await createEndpoint(client)
    clock.advance(1_000)
    const { status, body } = await client.post(`/webhook-endpoints/${before.id}/rotate-secret`)
    assert.equal(status, 200)
    const [updatedAt, previousSecretExpiresAt] = [0, DAY_MS].map((ms) => new Date(clock.now() + ms).toISOString())
    assert.deepEqual(withoutSecret(body), { ...withoutSecret(before), updatedAt, previousSecretExpiresAt })
    assert.notEqual(body.secret, before.secret)
    assert.deepEqual(await secretsOf(orgId, before.id), [body.secret, before.secret])
    assert.deepEqual(await currentEndpoint(client, before.id), withoutSecret(body))
    clock.advance(DAY_MS - 1)
    assert.equal((await currentEndpoint(client, before.id)).previousSecretExpiresAt, previousSecretExpiresAt)
    clock.advance(1)
    assert.equal((await currentEndpoint(client, before.id)).previousSecretExpiresAt, null)
    assert.equal((await client.get('/webhook-endpoints')).body.data[0].previousSecretExpiresAt, null)
  })

  test('after further rotations every earlier secret signs for its own 24 hours', async () => {
    const { client, orgId } = await api.tenant()
    const { id, secret } = await createEndpoint(client)
    const secrets = [secret]
    for (let i = 0; i < 3; i += 1) {
      clock.advance(DAY_MS / 4)
      const rotated = (await client.post(`/webhook-endpoints/${id}/rotate-secret`, {})).body
      secrets.unshift(rotated.secret)
      assert.equal(rotated.previousSecretExpiresAt, new Date(clock.now() + DAY_MS).toISOString())
      assert.deepEqual(await secretsOf(orgId, id), secrets)
    }
    // The first was replaced half a day ago, the others a quarter of a day apart.
    clock.advance(DAY_MS / 2 - 1)
    assert.deepEqual(await secretsOf(orgId, id), secrets)
    clock.advance(1)
    assert.deepEqual(await secretsOf(orgId, id), secrets.slice(0, 3))
    clock.advance(DAY_MS / 4)
    assert.deepEqual(await secretsOf(orgId, id), secrets.slice(0, 2))
    clock.advance(DAY_MS / 4)
    assert.deepEqual(await secretsOf(orgId, id), secrets.slice(0, 1))
    assert.equal((await currentEndpoint(client, id)).previousSecretExpiresAt, null)
  })

  test('at most 20 earlier secrets sign', async () => {
    const { client, orgId } = await api.tenant()
    const { id } = await createEndpoint(client)
    for (let i = 0; i < 25; i += 1) await client.post(`/webhook-endpoints/${id}/rotate-secret`, {})
    assert.equal((await secretsOf(orgId, id)).length, 21)
  })

  test('a replay gives the same secret again and rotates nothing; it is stored sealed', async () => {
    const { client, orgId } = await api.tenant()
    const { id } = await createEndpoint(client)
    const headers = { 'idempotency-key': 'rotate' }
    const first = await client.post(`/webhook-endpoints/${id}/rotate-secret`, undefined, headers)
    const again = await client.post(`/webhook-endpoints/${id}/rotate-secret`, {}, headers)
    assert.deepEqual(again.body, first.body)
    assert.equal((await secretsOf(orgId, id))[0], first.body.secret)
    const bare = first.body.secret.slice('whsec_'.length)
    assert.ok(!(await storedAnswers(api.server, orgId)).join().includes(bare))
    assert.ok(!JSON.stringify(await endpointRow(api.server, id)).includes(bare))
  })

  test('a disabled endpoint has its secret rotated too', async () => {
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client, { enabled: false })
    const answer = await client.post(`/webhook-endpoints/${id}/rotate-secret`)
    assert.deepEqual([answer.status, answer.body.enabled], [200, false])
  })
})
