import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { monitorDefaults, monitorTypes } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  createMonitor,
  current,
  elaborate,
  expectError,
  type MonitorBody,
  type MonitorType,
  ofAnyType,
  smallest,
  total,
} from '../../support/monitors.ts'
import { nextCheckAt } from '../../support/tables.ts'

/** The required fields of each type: section 4.1 rules 1 and 2, and the keyword by the decisions. */
const required: Readonly<Record<MonitorType, readonly string[]>> = {
  HTTP: ['url'],
  KEYWORD: ['url', 'keyword'],
  PING: ['host'],
  PORT: ['host', 'port'],
  CRON: [],
  DNS: ['url'],
  SSL: ['url'],
  DOMAIN: ['url'],
}

forEachEngine('POST /monitors', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  newMonitors(api, clock)
  faultyBodies(api)
})

function newMonitors(api: Api, clock: HandClock): void {
  for (const type of monitorTypes) {
    test(`a ${type} monitor needs its target and nothing else, and starts PENDING with the defaults`, async () => {
      const { client } = await api.tenant()
      const body = smallest(type)
      const answer = await client.post('/monitors', body)
      assert.equal(answer.status, 201)
      const now = new Date(clock.now()).toISOString()
      const { id, heartbeatUrl, ...rest } = answer.body
      assert.deepEqual(rest, {
        ...monitorDefaults,
        ...body,
        state: 'PENDING',
        lastCheckedAt: null,
        lastStatusChangedAt: null,
        lastResponseMs: null,
        certExpiresAt: null,
        createdAt: now,
        updatedAt: now,
      })
      assert.equal(await total(client), 1)
      assert.deepEqual(await current(client, id), answer.body)
    })
  }

  test('every field that is given is kept, those foreign to the type too', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, elaborate)
    const kept = Object.fromEntries(Object.keys(elaborate).map((field) => [field, monitor[field]]))
    assert.deepEqual(kept, elaborate)
    assert.deepEqual(await current(client, monitor.id), monitor)
  })

  test('only a CRON monitor has a heartbeat address, and no two have the same', async () => {
    const { client } = await api.tenant()
    const addresses = new Set<string>()
    for (const type of monitorTypes) {
      for (const monitor of [
        await createMonitor(client, smallest(type)),
        await createMonitor(client, smallest(type)),
      ]) {
        if (type === 'CRON') addresses.add(new URL(monitor.heartbeatUrl).href)
        else assert.equal(monitor.heartbeatUrl, null, type)
      }
    }
    assert.equal(addresses.size, 2)
  })

  test('ids begin with mon_, are never the same, and sort by creation', async () => {
    const { client } = await api.tenant()
    const ids: string[] = []
    for (let i = 0; i < 20; i += 1) ids.push((await createMonitor(client)).id)
    for (const id of ids) assert.match(id, /^mon_[0-9a-f]{32}$/)
    assert.deepEqual([...new Set(ids)].sort(), ids)
  })

  test('the first check of a new monitor is due at once', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP'))
    assert.equal(await nextCheckAt(api.server, id), clock.now())
  })
}

function faultyBodies(api: Api): void {
  for (const type of monitorTypes.filter((one) => required[one].length > 0)) {
    test(`a ${type} monitor without what the type needs is 400 that names it, and creates nothing`, async () => {
      const { client } = await api.tenant()
      const bare = { name: 'Bare', type }
      const nothing = Object.fromEntries(required[type].map((field) => [field, null]))
      for (const body of [bare, { ...bare, ...nothing }]) {
        expectError(await client.post('/monitors', body), 'validation_error', required[type])
      }
      for (const field of required[type]) {
        const { [field]: _, ...rest } = ofAnyType(type)
        expectError(await client.post('/monitors', rest), 'validation_error', [field])
        expectError(await client.post('/monitors', { ...rest, [field]: null }), 'validation_error', [field])
      }
      assert.equal(await total(client), 0)
    })
  }

  test('schema faults and missing fields of the type are reported together', async () => {
    const { client } = await api.tenant()
    const body = { name: '', type: 'PORT', method: 'FETCH', expectedStatus: [200, 99, '3'], colour: 'red' }
    const paths = ['name', 'host', 'port', 'method', 'expectedStatus.1', 'expectedStatus.2', 'colour']
    expectError(await client.post('/monitors', body), 'validation_error', paths)
    assert.equal(await total(client), 0)
  })

  test('fields that only the server sets are refused like unknown ones', async () => {
    const { client, orgId } = await api.tenant()
    const foreign: MonitorBody = {
      id: 'mon_1',
      state: 'UP',
      heartbeatUrl: 'https://pharos.example/heartbeat/x',
      lastCheckedAt: null,
      lastStatusChangedAt: null,
      lastResponseMs: 5,
      certExpiresAt: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      orgId,
      organizationId: orgId,
      Name: 'x',
      constructor: 'x',
    }
    const answer = await client.post('/monitors', { ...smallest('HTTP'), ...foreign })
    expectError(answer, 'validation_error', Object.keys(foreign))
    assert.equal(await total(client), 0)
  })

  test('__proto__ in a body is an unknown field, not a prototype', async () => {
    const { client } = await api.tenant()
    const answer = await client.post('/monitors', '{"name":"x","type":"CRON","__proto__":{"port":5}}')
    expectError(answer, 'validation_error', ['__proto__'])
  })
}
