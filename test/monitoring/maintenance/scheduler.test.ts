import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { applyDueTransitions } from '../../../src/monitoring/maintenance/apply-transitions.ts'
import { type Api, startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Body, currentWindow, DAY, HOUR, hourFrom, madeWindow, text } from '../../support/maintenance.ts'
import { freshDatabase } from '../../support/postgres.ts'
import type { Client } from '../../support/server.ts'
import { madeEndpoint, toldEvents } from '../../support/webhooks.ts'
import { listening, maintenanceEvents, NOON, told, withApi } from './stage.ts'

const roles = { PHAROS_ROLES: 'api,scheduler' }

forEachEngine('the scheduler', (engine) => {
  test('begins and ends a window, and tells of each once, as it stood then', () =>
    withApi(engine, 'api,scheduler', async (api, clock) => {
      const client = await listening(api)
      const window = await madeWindow(client, hourFrom(NOON, HOUR))
      await delay(600)
      assert.deepEqual(await told(client), ['scheduled SCHEDULED'])
      clock.advance(HOUR)
      await eventually(async () => assert.deepEqual(await told(client), ['scheduled SCHEDULED', 'started IN_PROGRESS']))
      clock.advance(HOUR)
      await eventually(async () => assert.equal((await told(client)).length, 3))
      await delay(600)
      const events = await toldEvents(client)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['maintenance.scheduled', 'maintenance.started', 'maintenance.completed'],
      )
      const occurrence = { startsAt: window.startsAt, endsAt: window.endsAt }
      assert.deepEqual(events[0]?.data, window)
      const running = { status: 'IN_PROGRESS', currentOccurrence: occurrence, nextOccurrence: null }
      assert.deepEqual(events[1]?.data, { ...window, ...running })
      assert.deepEqual(events[2]?.data, { ...window, status: 'COMPLETED', nextOccurrence: null })
      assert.deepEqual(await currentWindow(client, window.id), events[2]?.data)
    }))

  test('tells of every occurrence of a recurring window', () =>
    withApi(engine, 'api,scheduler', async (api, clock) => {
      const client = await listening(api)
      const end = { recurrence: 'DAILY', recurrenceEndsAt: text(NOON + 3 * DAY) }
      await madeWindow(client, { ...hourFrom(NOON, HOUR), ...end })
      for (let day = 0; day < 3; day += 1) {
        clock.advance(HOUR)
        await eventually(async () => assert.equal((await told(client)).length, 2 + 2 * day))
        clock.advance(HOUR)
        await eventually(async () => assert.equal((await told(client)).length, 3 + 2 * day))
        clock.advance(22 * HOUR)
      }
      const pair = ['started IN_PROGRESS', 'completed SCHEDULED']
      const last = ['started IN_PROGRESS', 'completed COMPLETED']
      assert.deepEqual(await told(client), ['scheduled SCHEDULED', ...pair, ...pair, ...last])
    }))

  test('catches up after a time in which nobody was there: the end of what was told, and the latest of the rest', async () => {
    await withApi(engine, 'api', async (api, clock) => {
      const client = await listening(api)
      const { database } = api.server.running
      const tell = () => database.write(() => applyDueTransitions(clock.now(), 50))
      await madeWindow(client, { ...hourFrom(NOON, HOUR), recurrence: 'DAILY' })
      clock.advance(1.5 * HOUR)
      assert.equal(await tell(), 1)
      assert.equal(await tell(), 0)
      clock.advance(3 * DAY + 6 * HOUR)
      assert.equal(await tell(), 1)
      assert.deepEqual(await told(client), [
        'scheduled SCHEDULED',
        'started IN_PROGRESS',
        'completed SCHEDULED',
        'started IN_PROGRESS',
        'completed SCHEDULED',
      ])
      const [, , first, started, completed] = await toldEvents(client)
      assert.equal(first?.data.nextOccurrence.startsAt, text(NOON + HOUR + DAY), 'as it stood when it ended')
      assert.equal(started?.data.currentOccurrence.startsAt, text(NOON + HOUR + 3 * DAY))
      assert.equal(completed?.data.nextOccurrence.startsAt, text(NOON + HOUR + 4 * DAY))
      assert.equal(await tell(), 0)
    })
  })

  test('is left off and taken up by the next start of the server: nothing is told twice, nothing is lost', async () => {
    const made = engine === 'postgres' ? await freshDatabase() : undefined
    const clock = new HandClock(NOON)
    const dataDir = mkdtempSync(join(tmpdir(), 'pharos-scheduler-'))
    try {
      const options = { clock, env: roles, dataDir, ...(made && { databaseUrl: made.url }) }
      const first = await startApi(engine, options)
      const { key, client } = await first.tenant()
      await madeEndpoint(client, { eventTypes: maintenanceEvents })
      await madeWindow(client, hourFrom(NOON, HOUR))
      clock.advance(HOUR)
      await eventually(async () => assert.equal((await told(client)).length, 2))
      await first.server.stop()
      clock.advance(30 * 60_000)
      const second = await startApi(engine, options)
      await delay(600)
      assert.equal((await told(second.clientOf(key))).length, 2, 'still under way')
      await second.server.stop()
      clock.advance(DAY)
      const third = await startApi(engine, options)
      const events = ['scheduled SCHEDULED', 'started IN_PROGRESS', 'completed COMPLETED']
      await eventually(async () => assert.deepEqual(await told(third.clientOf(key)), events))
      await delay(600)
      assert.deepEqual(await told(third.clientOf(key)), events)
      await third.server.stop()
    } finally {
      await made?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

describe('several nodes with the role of the scheduler (postgres)', { skip: withoutPostgres }, () => {
  test('tell of each start and end once between them', async () => {
    const made = await freshDatabase()
    const clock = new HandClock(NOON)
    const options = { databaseUrl: made.url, clock, env: roles }
    const nodes = await Promise.all(Array.from({ length: 3 }, () => startApi('postgres', options)))
    try {
      const tenants: Client[] = []
      for (let i = 0; i < 4; i += 1) tenants.push(await listening(nodes[0] as Api))
      for (const client of tenants) {
        for (let i = 0; i < 20; i += 1) await madeWindow(client, { ...hourFrom(NOON, HOUR), name: `No. ${i}` })
      }
      clock.advance(HOUR)
      const total = async (client: Client, type: string) =>
        (await client.get(`/webhook-deliveries?limit=1&eventType=maintenance.${type}`)).body.pagination.total
      for (const client of tenants) await eventually(async () => assert.equal(await total(client, 'started'), 20))
      clock.advance(HOUR)
      for (const client of tenants) await eventually(async () => assert.equal(await total(client, 'completed'), 20))
      await delay(1_000)
      for (const client of tenants) {
        assert.deepEqual([await total(client, 'started'), await total(client, 'completed')], [20, 20])
        const events = (await toldEvents(client)).filter(({ type }: Body) => type === 'maintenance.completed')
        assert.equal(new Set(events.map(({ data }) => data.id)).size, 20)
      }
    } finally {
      await Promise.all(nodes.map((node) => node.server.stop()))
      await made.drop()
    }
  })
})
