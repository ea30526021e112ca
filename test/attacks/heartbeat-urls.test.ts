import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { joinByInvitation, useInstallation } from '../support/person.ts'
import type { Client, TestServer } from '../support/server.ts'
import { storedText } from './stored-text.ts'

const cron = { name: 'Backup', type: 'CRON' }

async function create(client: Client): Promise<{ id: string; heartbeatUrl: string; token: string }> {
  const { status, body } = await client.post('/monitors', cron)
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, heartbeatUrl: body.heartbeatUrl, token: tokenOf(body.heartbeatUrl) }
}

function tokenOf(heartbeatUrl: string): string {
  return /[^/]+$/.exec(heartbeatUrl)?.[0] ?? ''
}

function send(server: TestServer, token: string, signal = ''): Promise<Response> {
  return fetch(`${server.url}/heartbeat/${token}${signal}`)
}

async function statusesOf(count: number, request: (i: number) => Promise<Response>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  for (let i = 0; i < count; i += 1) {
    const { status } = await request(i)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return statuses
}

forEachEngine('the URL on which a job reports', (engine) => {
  const installation = useInstallation(engine)
  const client = () => installation.server.client()

  test('is masked for viewers wherever a monitor is shown, and shown to members and to every key', async () => {
    await client().post('/webhook-endpoints', { url: 'https://receiver.example/', eventTypes: ['*'] })
    const { id, heartbeatUrl, token } = await create(client())
    await client().send('PUT', `/monitors/${id}/labels`, { labels: { team: 'pay' } })
    await send(installation.server, token)
    const viewer = await joinByInvitation(installation, 'viewer@example.com', 'VIEWER')
    const member = await joinByInvitation(installation, 'member@example.com', 'MEMBER')
    const { data: deliveries } = (await viewer.get('/v1/webhook-deliveries')).body
    assert.ok(deliveries.length > 0)
    for (const path of [
      ...[`/v1/monitors/${id}`, '/v1/monitors?limit=100', '/v1/monitors?labels=team%3Dpay', '/v1/monitor-list'],
      ...[`/v1/monitors/${id}/details`, `/v1/monitors/${id}/heartbeats`, '/v1/audit-log'],
      ...deliveries.flatMap((delivery: { id: string }) => {
        return [`/v1/webhook-deliveries/${delivery.id}`, `/v1/webhook-deliveries/${delivery.id}/request`]
      }),
    ]) {
      assert.ok(!JSON.stringify((await viewer.get(path)).body).includes(token), path)
    }
    const { body: seen } = await viewer.get(`/v1/monitors/${id}`)
    assert.equal(seen.heartbeatUrl, heartbeatUrl.replace(token, '***'))
    const { key } = await installation.server.makeKey(await installation.server.defaultOrgId(), 'read-only')
    const reader = installation.server.client(key)
    for (const answer of [await member.get(`/v1/monitors/${id}`), await reader.get(`/monitors/${id}`)]) {
      assert.equal(answer.body.heartbeatUrl, heartbeatUrl)
    }
    for (const path of ['/monitors?limit=100', '/monitors?labels=team%3Dpay']) {
      const { data } = (await reader.get(path)).body
      assert.equal(data.find((monitor: { id: string }) => monitor.id === id).heartbeatUrl, heartbeatUrl, path)
    }
  })

  test('is not stored in plain text, not even after signals, a rotation, a change of type and a deletion', async () => {
    await client().post('/webhook-endpoints', { url: 'https://receiver.example/', eventTypes: ['*'] })
    const tokens: string[] = []
    const { id, token } = await create(client())
    tokens.push(token)
    for (const signal of ['', '/fail', '/log', '/start', '/0']) await send(installation.server, token, signal)
    const rotated = await client().send('POST', `/monitors/${id}/heartbeat-token/rotate`, {}, { 'idempotency-key': id })
    tokens.push(tokenOf(rotated.body.heartbeatUrl))
    await client().patch(`/monitors/${id}`, { type: 'HTTP', url: 'https://shop.example/' })
    tokens.push(tokenOf((await client().patch(`/monitors/${id}`, { type: 'CRON' })).body.heartbeatUrl))
    await client().post(`/monitors/${id}/pause`, {})
    await client().delete(`/monitors/${id}`)
    assert.equal(new Set(tokens).size, 3)
    const stored = await storedText(installation.server.running.database)
    assert.ok(stored.includes(id))
    for (const each of tokens) assert.ok(!stored.includes(each), `${each} is in the database`)
  })

  test('can be replaced: the old one stops working at once, and the change is recorded', async () => {
    await client().post('/webhook-endpoints', { url: 'https://receiver.example/', eventTypes: ['monitor.updated'] })
    const { id, token } = await create(client())
    const path = `/monitors/${id}/heartbeat-token/rotate`
    const first = await client().send('POST', path, undefined, { 'idempotency-key': `rotate-${id}` })
    assert.equal(first.status, 200)
    const replacement = tokenOf(first.body.heartbeatUrl)
    assert.notEqual(replacement, token)
    assert.equal((await send(installation.server, token)).status, 404)
    assert.equal((await send(installation.server, replacement)).status, 200)
    const replay = await client().send('POST', path, undefined, { 'idempotency-key': `rotate-${id}` })
    assert.equal(replay.body.heartbeatUrl, first.body.heartbeatUrl)
    const { data } = (await client().get('/webhook-deliveries?limit=1')).body
    const { payload } = (await client().get(`/webhook-deliveries/${data[0].id}`)).body
    assert.deepEqual([payload.data.id, payload.data.changed], [id, ['heartbeatUrl']])
    assert.equal(payload.data.heartbeatUrl, first.body.heartbeatUrl)
    const { data: entries } = (await client().get(`/audit-log?target=${id}`)).body
    assert.equal(entries[0].action, 'rotateHeartbeatToken')
  })

  test('is replaced only by those who may change monitors, and only for CRON monitors', async () => {
    const { id, heartbeatUrl } = await create(client())
    const path = `/monitors/${id}/heartbeat-token/rotate`
    const { key } = await installation.server.makeKey(await installation.server.defaultOrgId(), 'read-only')
    assert.equal((await installation.server.client(key).post(path, {})).status, 403)
    const viewer = await joinByInvitation(installation, 'second-viewer@example.com', 'VIEWER')
    assert.equal((await viewer.post(`/v1${path}`, {})).status, 403)
    const other = await installation.server.organization('SELF_HOSTED')
    assert.equal((await installation.server.client(other.key).post(path, {})).status, 404)
    assert.equal((await client().get(`/monitors/${id}`)).body.heartbeatUrl, heartbeatUrl)
    const http = await client().post('/monitors', { name: 'Shop', type: 'HTTP', url: 'https://shop.example/' })
    const refused = await client().post(`/monitors/${http.body.id}/heartbeat-token/rotate`, {})
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
  })
})

forEachEngine('a URL on which a job reports', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  const client = () => installation.server.client()

  test('opens at most 30 incidents in a minute when failures and successes alternate', async () => {
    const { server } = installation
    const { id, token } = await create(client())
    const alternate = (i: number) => send(server, token, i % 2 === 0 ? '/fail' : '')
    assert.deepEqual([...(await statusesOf(90, alternate))].sort(), [
      [200, 60],
      [429, 30],
    ])
    assert.equal((await client().get(`/incidents?monitorId=${id}`)).body.pagination.total, 30)
    const refused = await send(server, token)
    assert.equal(refused.headers.get('retry-after'), '60')
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'rate_limited')
    // Another job is not affected.
    assert.equal((await send(server, (await create(client())).token)).status, 200)
    clock.advance(60_000)
    assert.equal((await send(server, token)).status, 200)
    assert.equal((await client().get(`/monitors/${id}`)).body.state, 'UP')
  })

  test('works on, while guesses from the same address are limited', async () => {
    const { server } = installation
    const { token } = await create(client())
    assert.equal((await send(server, token)).status, 200)
    clock.advance(60_000)
    assert.deepEqual([...(await statusesOf(130, (i) => send(server, `guess-${i}`)))].sort(), [
      [404, 120],
      [429, 10],
    ])
    assert.equal((await send(server, token)).status, 200)
    clock.advance(60_000)
    assert.equal((await send(server, 'guess')).status, 404)
  })

  test('takes its first signal on a node from an address that has sent many unknown tokens', async () => {
    const { server } = installation
    clock.advance(60_000)
    await statusesOf(130, (i) => send(server, `guess-${i}`))
    const { token } = await create(client())
    assert.equal((await send(server, token)).status, 200)
    assert.equal((await send(server, 'guess')).status, 429)
    const { id } = await create(client())
    const legacy = { tool: 'KUMA', token: 'd0w7Kx4pQz' }
    assert.equal((await client().send('PUT', `/monitors/${id}/legacy-address`, legacy)).status, 200)
    await statusesOf(130, (i) => fetch(`${server.url}/api/push/guess-${i}`))
    assert.equal((await fetch(`${server.url}/api/push/d0w7Kx4pQz`)).status, 200)
  })
})
