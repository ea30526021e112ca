import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyDueTransitions } from '../../../src/monitoring/maintenance/apply-transitions.ts'
import { type Api, startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Body, createWindow, currentWindow, DAY, HOUR, hourFrom, text } from '../../support/maintenance.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import type { Client } from '../../support/server.ts'
import { createEndpoint, sentEvents } from '../../support/webhooks.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { assertNothingDue, clientWithEndpoint, eventSummaries, maintenanceEvents, NOON, withApi } from './fixtures.ts'

/** Of each organization. */
const WINDOWS = 6

const roles = { PHAROS_ROLES: 'api,scheduler' }

forEachEngine('the scheduler', (engine) => {
  test('announces the start and the end of a window once, with the window as of then', () =>
    withApi(engine, 'api,scheduler', async (api, clock) => {
      const client = await clientWithEndpoint(api)
      const window = await createWindow(client, hourFrom(NOON, HOUR))
      clock.advance(HOUR - 1)
      await assertNothingDue(api, clock)
      assert.deepEqual(await eventSummaries(client), ['scheduled SCHEDULED'])
      clock.advance(1)
      await eventually(async () =>
        assert.deepEqual(await eventSummaries(client), ['scheduled SCHEDULED', 'started IN_PROGRESS']),
      )
      clock.advance(HOUR)
      await eventually(async () => assert.equal((await eventSummaries(client)).length, 3))
      await assertNothingDue(api, clock)
      const events = await sentEvents(client)
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

  test('announces every occurrence of a recurring window', () =>
    withApi(engine, 'api,scheduler', async (api, clock) => {
      const client = await clientWithEndpoint(api)
      const end = { recurrence: 'DAILY', recurrenceEndsAt: text(NOON + 3 * DAY) }
      await createWindow(client, { ...hourFrom(NOON, HOUR), ...end })
      for (let day = 0; day < 3; day += 1) {
        clock.advance(HOUR)
        await eventually(async () => assert.equal((await eventSummaries(client)).length, 2 + 2 * day))
        clock.advance(HOUR)
        await eventually(async () => assert.equal((await eventSummaries(client)).length, 3 + 2 * day))
        clock.advance(22 * HOUR)
      }
      const pair = ['started IN_PROGRESS', 'completed SCHEDULED']
      const last = ['started IN_PROGRESS', 'completed COMPLETED']
      assert.deepEqual(await eventSummaries(client), ['scheduled SCHEDULED', ...pair, ...pair, ...last])
    }))

  test('after an outage announces the end of the announced occurrence and the latest missed one', async () => {
    await withApi(engine, 'api', async (api, clock) => {
      const client = await clientWithEndpoint(api)
      const { database } = api.server.running
      const tick = () => database.write(() => applyDueTransitions(clock.now(), 50))
      await createWindow(client, { ...hourFrom(NOON, HOUR), recurrence: 'DAILY' })
      clock.advance(1.5 * HOUR)
      assert.equal(await tick(), 1)
      assert.equal(await tick(), 0)
      clock.advance(3 * DAY + 6 * HOUR)
      assert.equal(await tick(), 1)
      assert.deepEqual(await eventSummaries(client), [
        'scheduled SCHEDULED',
        'started IN_PROGRESS',
        'completed SCHEDULED',
        'started IN_PROGRESS',
        'completed SCHEDULED',
      ])
      const [, , first, started, completed] = await sentEvents(client)
      assert.equal(first?.data.nextOccurrence.startsAt, text(NOON + HOUR + DAY), 'as of its end')
      assert.equal(started?.data.currentOccurrence.startsAt, text(NOON + HOUR + 3 * DAY))
      assert.equal(completed?.data.nextOccurrence.startsAt, text(NOON + HOUR + 4 * DAY))
      assert.equal(await tick(), 0)
    })
  })

  test('continues after a restart: nothing is announced twice or lost', async () => {
    await using workspace = await migratedWorkspace(engine)
    const clock = new HandClock(NOON)
    const options = { ...workspace.storage, clock, env: roles }
    const first = await startApi(engine, options)
    const { key, client } = await first.tenant()
    await createEndpoint(client, { eventTypes: maintenanceEvents })
    await createWindow(client, hourFrom(NOON, HOUR))
    clock.advance(HOUR)
    await eventually(async () => assert.equal((await eventSummaries(client)).length, 2))
    await first.server.stop()
    clock.advance(30 * 60_000)
    const second = await startApi(engine, options)
    await assertNothingDue(second, clock)
    assert.equal((await eventSummaries(second.clientOf(key))).length, 2, 'still in progress')
    await second.server.stop()
    clock.advance(DAY)
    const third = await startApi(engine, options)
    const events = ['scheduled SCHEDULED', 'started IN_PROGRESS', 'completed COMPLETED']
    await eventually(async () => assert.deepEqual(await eventSummaries(third.clientOf(key)), events))
    await assertNothingDue(third, clock)
    assert.deepEqual(await eventSummaries(third.clientOf(key)), events)
    await third.server.stop()
  })
})

describe('several nodes with the role of the scheduler (postgres)', { skip: withoutPostgres }, () => {
  test('announce each start and end exactly once', async () => {
    const created = await migratedDatabase()
    const clock = new HandClock(NOON)
    const options = { databaseUrl: created.url, clock, env: roles }
    const nodes = await Promise.all(Array.from({ length: 3 }, () => startApi('postgres', options)))
    try {
      const tenants: Client[] = []
      for (let i = 0; i < 2; i += 1) tenants.push(await clientWithEndpoint(nodes[0] as Api))
      for (const client of tenants) {
        for (let i = 0; i < WINDOWS; i += 1) await createWindow(client, { ...hourFrom(NOON, HOUR), name: `No. ${i}` })
      }
      clock.advance(HOUR)
      const total = async (client: Client, type: string) =>
        (await client.get(`/webhook-deliveries?limit=1&eventType=maintenance.${type}`)).body.pagination.total
      for (const client of tenants) await eventually(async () => assert.equal(await total(client, 'started'), WINDOWS))
      clock.advance(HOUR)
      for (const client of tenants)
        await eventually(async () => assert.equal(await total(client, 'completed'), WINDOWS))
      await assertNothingDue(nodes[0] as Api, clock)
      for (const client of tenants) {
        assert.deepEqual([await total(client, 'started'), await total(client, 'completed')], [WINDOWS, WINDOWS])
        const events = (await sentEvents(client)).filter(({ type }: Body) => type === 'maintenance.completed')
        assert.equal(new Set(events.map(({ data }) => data.id)).size, WINDOWS)
      }
    } finally {
      await Promise.all(nodes.map((node) => node.server.stop()))
      await created.drop()
    }
  })
})
