import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  createMonitor,
  current,
  elaborate,
  expectError,
  type MonitorBody,
  type MonitorType,
  smallest,
  without,
} from '../../support/monitors.ts'
import { nextCheckAt } from '../../support/tables.ts'

/** Updates that each make sense by themselves and leave a monitor that does not. */
const inconsistent: readonly { from: MonitorType; patch: MonitorBody; lacks: readonly string[] }[] = [
  { from: 'HTTP', patch: { type: 'PORT' }, lacks: ['host', 'port'] },
  { from: 'HTTP', patch: { type: 'PORT', host: 'db.example' }, lacks: ['port'] },
  { from: 'HTTP', patch: { type: 'PORT', port: 5432 }, lacks: ['host'] },
  { from: 'HTTP', patch: { type: 'PING' }, lacks: ['host'] },
  { from: 'HTTP', patch: { type: 'KEYWORD' }, lacks: ['keyword'] },
  { from: 'HTTP', patch: { url: null }, lacks: ['url'] },
  { from: 'HTTP', patch: { name: 'Renamed', url: null, timeoutSeconds: 5 }, lacks: ['url'] },
  { from: 'KEYWORD', patch: { keyword: null }, lacks: ['keyword'] },
  { from: 'KEYWORD', patch: { keyword: null, url: null }, lacks: ['keyword', 'url'] },
  { from: 'PORT', patch: { port: null }, lacks: ['port'] },
  { from: 'PORT', patch: { host: null }, lacks: ['host'] },
  { from: 'PORT', patch: { type: 'HTTP' }, lacks: ['url'] },
  { from: 'PING', patch: { host: null }, lacks: ['host'] },
  { from: 'PING', patch: { type: 'PORT' }, lacks: ['port'] },
  { from: 'CRON', patch: { type: 'HTTP' }, lacks: ['url'] },
  { from: 'DNS', patch: { url: null }, lacks: ['url'] },
  { from: 'SSL', patch: { url: null }, lacks: ['url'] },
  { from: 'DOMAIN', patch: { url: null }, lacks: ['url'] },
]

const consistent: readonly { from: MonitorType; patch: MonitorBody }[] = [
  { from: 'HTTP', patch: { type: 'PORT', host: 'db.example', port: 5432 } },
  { from: 'HTTP', patch: { type: 'PORT', host: 'db.example', port: 5432, url: null } },
  { from: 'HTTP', patch: { type: 'KEYWORD', keyword: 'Welcome' } },
  { from: 'HTTP', patch: { type: 'CRON', url: null } },
  { from: 'HTTP', patch: { type: 'SSL' } },
  { from: 'KEYWORD', patch: { type: 'HTTP', keyword: null } },
  { from: 'PORT', patch: { type: 'PING', port: null } },
  { from: 'CRON', patch: { type: 'HTTP', url: 'https://shop.example/' } },
]

forEachEngine('PATCH /monitors/{monitorId}', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  if (engine === 'sqlite') wholeResults(api, clock)
  partialChanges(api, clock)
  surroundings(api)
})

function wholeResults(api: Api, clock: HandClock): void {
  for (const { from, patch, lacks } of inconsistent) {
    test(`a ${from} monitor is not changed by ${JSON.stringify(patch)}: it would lack ${lacks}`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, smallest(from))
      clock.advance(1000)
      expectError(await client.patch(`/monitors/${before.id}`, patch), 'validation_error', lacks)
      assert.deepEqual(await current(client, before.id), before)
    })
  }

  for (const { from, patch } of consistent) {
    test(`a ${from} monitor takes ${JSON.stringify(patch)} and keeps the rest`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, smallest(from))
      clock.advance(1000)
      const { status, body } = await client.patch(`/monitors/${before.id}`, patch)
      assert.equal(status, 200)
      const expected = { ...before, ...patch, updatedAt: new Date(clock.now()).toISOString() }
      const moving = ['lastStatusChangedAt', 'heartbeatUrl']
      assert.deepEqual(without(body, ...moving), without(expected, ...moving))
      assert.equal(body.heartbeatUrl === null, body.type !== 'CRON')
    })
  }
}

function partialChanges(api: Api, clock: HandClock): void {
  test('every field can be changed in one update, and updatedAt with them', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client, smallest('PING'))
    clock.advance(60_000)
    const { body } = await client.patch(`/monitors/${before.id}`, elaborate)
    assert.deepEqual(Object.fromEntries(Object.keys(elaborate).map((field) => [field, body[field]])), elaborate)
    assert.deepEqual([body.id, body.createdAt], [before.id, before.createdAt])
    assert.equal(body.updatedAt, new Date(clock.now()).toISOString())
    assert.deepEqual(await current(client, before.id), body)
  })

  test('an empty update is 200 and changes nothing', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client, elaborate)
    clock.advance(1000)
    const answer = await client.patch(`/monitors/${before.id}`, {})
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, before)
    assert.deepEqual(await current(client, before.id), before)
  })

  test('updates have no defaults: what is left out keeps a value that is none', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client, elaborate)
    const { body } = await client.patch(`/monitors/${before.id}`, { name: 'Other' })
    assert.deepEqual(without(body, 'updatedAt'), without({ ...before, name: 'Other' }, 'updatedAt'))
  })

  test('an invalid update changes nothing, and every fault is reported', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client)
    const patch = { name: 'Good', port: 0, timeoutSeconds: 61, requestHeaders: { A: 1, B: 'x', C: [] }, state: 'UP' }
    const paths = ['port', 'timeoutSeconds', 'requestHeaders.A', 'requestHeaders.C', 'state']
    expectError(await client.patch(`/monitors/${before.id}`, patch), 'validation_error', paths)
    assert.deepEqual(await current(client, before.id), before)
  })

  test('a paused monitor stays paused through an update, and no check becomes due', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    await client.post(`/monitors/${id}/pause`, {})
    for (const patch of [{ name: 'Other' }, { url: 'https://other.example/' }, { type: 'CRON' }, { type: 'SSL' }]) {
      assert.equal((await client.patch(`/monitors/${id}`, patch)).body.state, 'PAUSED')
      assert.equal(await nextCheckAt(api.server, id), null)
    }
  })
}

function surroundings(api: Api): void {
  test('an update is no creation: it needs no room in the allowance', async () => {
    const { client } = await api.tenant('FREE')
    const monitors = await Promise.all(Array.from({ length: 10 }, () => createMonitor(client)))
    assert.equal((await client.patch(`/monitors/${monitors[0]?.id}`, { name: 'Still here' })).status, 200)
  })

  test('updates of different fields at the same time are all kept', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const { url, ...rest } = elaborate
    const fields = Object.entries(rest).filter(([field]) => field !== 'type')
    const answers = await Promise.all(
      fields.map(([field, value]) => client.patch(`/monitors/${id}`, { [field]: value })),
    )
    for (const answer of answers) assert.equal(answer.status, 200)
    const monitor = await current(client, id)
    for (const [field, value] of fields) assert.deepEqual(monitor[field], value, field)
  })

  test("an update touches no other monitor of the organization, nor another organization's", async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const [changed, neighbour, foreign] = [
      await createMonitor(own.client),
      await createMonitor(own.client),
      await createMonitor(other.client),
    ]
    await own.client.patch(`/monitors/${changed.id}`, { ...elaborate, intervalSeconds: 30 })
    assert.deepEqual(await current(own.client, neighbour.id), neighbour)
    assert.deepEqual(await current(other.client, foreign.id), foreign)
  })
}
