import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '../../../src/storage/database.ts'
import { apply, plan } from '../../configuration/support.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'

const UUID = '2a6a7e6b-8f0f-4a1c-9a55-3c8a4b7f0d11'

function job(name: string, legacyAddress: object) {
  return { name, type: 'CRON', expectedPeriodSec: 300, legacyAddress }
}

const kuma = { tool: 'KUMA', token: 'd0w7Kx4pQz' }

const document = {
  version: 1,
  source: 'import-kuma',
  monitors: {
    kuma: job('Kuma', kuma),
    uuid: job('UUID', { tool: 'HEALTHCHECKS', token: UUID }),
    slug: job('Slug', { tool: 'HEALTHCHECKS', token: 'fqOOd6-F4MMNuCEnzTU01w/db-backup' }),
    gatus: job('Gatus', { tool: 'GATUS', token: 'core_backup', bearer: 'potato-salad' }),
  },
}

interface Shown {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly lastResponseMs: number | null
}

async function monitorNamed(client: Client, wanted: string): Promise<Shown> {
  const { body } = await client.get('/monitors?limit=100')
  return body.data.find(({ name }: Shown) => name === wanted)
}

async function lastBeat(client: Client, id: string) {
  return (await client.get(`/monitors/${id}/heartbeats`)).body.data[0]
}

/** Sends a request without a key, and returns status and body. */
async function send(server: TestServer, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${server.url}${path}`, init)
  return [answer.status, await answer.text()] as const
}

function startImported(engine: Engine): () => TestServer {
  let server: TestServer
  before(async () => {
    server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    await apply(server.client(), document)
  })
  after(() => server.stop())
  return () => server
}

forEachEngine('the address of another tool', (engine) => {
  const server = startImported(engine)

  test('of Uptime Kuma answers any method as Kuma does, and status=down is a failure with its message', async () => {
    const client = server().client()
    const ok = [200, '{"ok":true}']
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      assert.deepEqual(await send(server(), '/api/push/d0w7Kx4pQz?status=up&msg=OK&ping=42.4', { method }), ok)
    }
    assert.equal((await send(server(), '/api/push/d0w7Kx4pQz', { method: 'HEAD' }))[0], 200)
    await send(server(), '/api/push/d0w7Kx4pQz?status=up&msg=OK&ping=42.4')
    const up = await monitorNamed(client, 'Kuma')
    assert.deepEqual([up.state, up.lastResponseMs], ['UP', 42])
    assert.deepEqual(await send(server(), '/api/push/d0w7Kx4pQz?status=down&msg=Disk%00full&ping='), ok)
    const { id, state } = await monitorNamed(client, 'Kuma')
    assert.equal(state, 'DOWN')
    const { data } = (await client.get(`/incidents?monitorId=${id}`)).body
    assert.match(data[0].cause, /^Disk.full$/u)
    const unknown = await send(server(), '/api/push/nobody')
    assert.deepEqual(unknown, [404, '{"ok":false,"msg":"Monitor not found or not active."}'])
    assert.equal((await send(server(), `/api/push/${UUID}`))[0], 404, 'a token of another tool')
  })

  test('of Healthchecks takes start, fail, log and exit codes, and keeps the output', async () => {
    const client = server().client()
    const id = (await monitorNamed(client, 'UUID')).id
    assert.deepEqual(await send(server(), `/ping/${UUID}/start?rid=${UUID}`), [200, 'OK'])
    const done = await send(server(), `/ping/${UUID.toUpperCase()}?rid=${UUID}`, { method: 'POST', body: 'done' })
    assert.deepEqual(done, [200, 'OK'])
    assert.equal((await monitorNamed(client, 'UUID')).state, 'UP')
    const beat = await lastBeat(client, id)
    assert.deepEqual([beat.signal, beat.body, typeof beat.durationMs], ['SUCCESS', 'done', 'number'])
    assert.deepEqual(await send(server(), `/ping/${UUID}/log`, { method: 'POST', body: 'half way' }), [200, 'OK'])
    assert.deepEqual(await send(server(), `/ping/${UUID}/3`), [200, 'OK'])
    assert.equal((await monitorNamed(client, 'UUID')).state, 'DOWN')
    assert.deepEqual(await send(server(), '/ping/fqOOd6-F4MMNuCEnzTU01w/db-backup'), [200, 'OK'])
    assert.equal((await monitorNamed(client, 'Slug')).state, 'UP')
    assert.deepEqual(await send(server(), '/ping/fqOOd6-F4MMNuCEnzTU01w/db-backup/fail'), [200, 'OK'])
    assert.equal((await monitorNamed(client, 'Slug')).state, 'DOWN')
    for (const path of [`/${UUID}/256`, `/${UUID}/start/3`, '/nobody', '/nobody/job', '/nobody/job/finish']) {
      assert.deepEqual(await send(server(), `/ping${path}`), [404, 'not found'], path)
    }
  })

  test('of Gatus needs its bearer token', async () => {
    const client = server().client()
    const headers = { authorization: 'Bearer potato-salad' }
    const path = '/api/v1/endpoints/core_backup/external'
    const post = (query: string, of: Record<string, string> = headers) =>
      send(server(), `${path}${query}`, { method: 'POST', headers: of })
    assert.deepEqual(await post('?success=true&duration=1m1.5s'), [200, ''])
    const up = await monitorNamed(client, 'Gatus')
    assert.deepEqual([up.state, up.lastResponseMs], ['UP', 61_500])
    assert.deepEqual(await post('?success=false&error=no+space'), [200, ''])
    assert.equal((await monitorNamed(client, 'Gatus')).state, 'DOWN')
    assert.deepEqual(await post('?success=yes'), [400, 'invalid success value'])
    assert.equal((await post('?success=true', {}))[0], 401)
    assert.deepEqual(await post('?success=true', { authorization: 'Bearer carrot' }), [401, 'invalid token'])
    assert.equal((await monitorNamed(client, 'Gatus')).state, 'DOWN')
  })
})

forEachEngine('the old address of a monitor', (engine) => {
  const server = startImported(engine)

  test('is a secret of the document, and belongs to one monitor', async () => {
    const client = server().client()
    assert.equal((await plan(client, document)).summary.none, 4)
    const { body: exported } = await client.get('/configuration?source=import-kuma')
    assert.deepEqual(exported.monitors.gatus.legacyAddress, {
      tool: 'GATUS',
      token: `\${MONITORS_GATUS_LEGACY_ADDRESS_TOKEN}`,
      bearer: `\${MONITORS_GATUS_LEGACY_ADDRESS_BEARER}`,
    })
    const { key } = await server().organization('PRO')
    const stranger = server().client(key)
    const { planId } = await plan(stranger, { version: 1, monitors: { mine: job('Mine', kuma) } })
    const { status, body } = await stranger.post('/configuration/apply', { planId })
    const path = 'document.monitors.mine.legacyAddress.token'
    assert.deepEqual([status, body.error.details[0].path], [400, path])
  })

  test('ends with the option and with the type, and is free then', async () => {
    const client = server().client()
    const { id } = (await client.post('/monitors', { name: 'Moved', type: 'CRON' })).body
    const put = () => client.send('PUT', `/monitors/${id}/legacy-address`, { tool: 'KUMA', token: 'moved-token' })
    assert.deepEqual((await put()).body, { tool: 'KUMA', token: 'set', bearer: null })
    assert.equal((await send(server(), '/api/push/moved-token'))[0], 200)
    await client.delete(`/monitors/${id}/legacy-address`)
    assert.equal((await send(server(), '/api/push/moved-token'))[0], 404)
    assert.equal((await put()).status, 200)
    await client.patch(`/monitors/${id}`, { type: 'PING', host: 'shop.example' })
    assert.equal((await send(server(), '/api/push/moved-token'))[0], 404)
    const without = await client.send('PUT', `/monitors/${id}/legacy-address`, { tool: 'GATUS', token: 'a' })
    assert.deepEqual([without.status, without.body.error.details[0].path], [400, 'bearer'])
  })

  test('takes no more signals than a heartbeat URL', async () => {
    const client = server().client()
    const { id } = (await client.post('/monitors', { name: 'Flood', type: 'CRON' })).body
    await client.send('PUT', `/monitors/${id}/legacy-address`, { tool: 'KUMA', token: 'flood-token' })
    const statuses: number[] = []
    for (let i = 0; i < 62; i += 1) statuses.push((await send(server(), '/api/push/flood-token'))[0])
    assert.deepEqual([statuses.slice(0, 60).every((status) => status === 200), statuses[61]], [true, 429])
  })
})
