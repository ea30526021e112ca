import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '../../../src/lib/seal.ts'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, startApi, type Tenant } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Body, changedWindow, createWindow, HOUR, hourFrom, text } from '../../support/maintenance.ts'
import { createMonitor, current, type MonitorBody, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import { NOON, schedulerIdle } from './fixtures.ts'

interface Scene extends Tenant {
  readonly api: Api
  readonly clock: HandClock
  readonly target: HttpTarget
  readonly monitor: MonitorBody
  check(): Promise<MonitorBody>
  incidents(): Promise<Body[]>
  /** The kinds of queued alerts. */
  alerts(): Promise<string[]>
}

async function createUp(client: Client, target: HttpTarget): Promise<MonitorBody> {
  target.status = 200
  const monitor = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 86_400 }))
  await eventually(async () => assert.equal((await current(client, monitor.id)).state, 'UP'))
  return monitor
}

/** A monitor that is up at noon, a contact for all alerts, and a node with all roles. */
async function withScene(engine: 'sqlite' | 'postgres', act: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = new HandClock(NOON)
  await using target = await startHttpTarget()
  const api = await startApi(engine, { clock, env: { PHAROS_ROLES: 'api,checker,scheduler' } })
  try {
    const tenant = await api.tenant()
    const { client, orgId } = tenant
    const { database } = api.server.running
    const contact = { orgId, name: 'Hook', channel: 'WEBHOOK', settings: { url: 'https://hooks.example' } } as const
    await database.write(() => insertContact(contact, createSealer([Buffer.alloc(32, 7)]), NOON))
    const monitor = await createUp(client, target)
    await act({
      ...tenant,
      api,
      clock,
      target,
      monitor,
      check: async () => (await client.post(`/monitors/${monitor.id}/check`, {})).body,
      incidents: async () => (await client.get('/incidents')).body.data,
      alerts: async () => (await database.read(execute(q.selectFrom('alerts').select('kind')))).map(({ kind }) => kind),
    })
  } finally {
    await api.server.stop()
  }
}

forEachEngine('inside a maintenance window', (engine) => {
  test('the state is updated but no incident opens and no alert is sent; at its end a failing monitor is checked at once and opens one', () =>
    withScene(engine, async ({ client, clock, target, monitor, check, incidents, alerts }) => {
      await createWindow(client, { ...hourFrom(NOON, 0), allMonitors: false, monitorIds: [monitor.id] })
      target.status = 500
      assert.equal((await check()).state, 'DOWN')
      clock.advance(HOUR - 1)
      assert.equal((await check()).state, 'DOWN')
      assert.deepEqual([await incidents(), await alerts()], [[], []])
      const { visits } = target
      clock.advance(1)
      const [incident] = await eventually(async () => {
        const open = await incidents()
        assert.equal(open.length, 1)
        return open
      })
      assert.equal(incident?.startedAt, text(NOON + HOUR))
      assert.ok(target.visits > visits, 'a day before it would be due')
      assert.deepEqual(await alerts(), ['opened'])
    }))

  test('an incident that was open before stays open and resolves', () =>
    withScene(engine, async ({ client, clock, target, check, incidents }) => {
      target.status = 500
      await check()
      const [incident] = await incidents()
      await createWindow(client, hourFrom(NOON, 0))
      clock.advance(60_000)
      await check()
      assert.equal((await client.get(`/incidents/${incident?.id}`)).body.failedChecks, 2)
      target.status = 200
      assert.equal((await check()).state, 'UP')
      assert.equal((await incidents())[0]?.resolvedAt, text(NOON + 60_000))
      target.status = 500
      await check()
      assert.equal((await incidents()).length, 1, 'and no other opens')
    }))

  test('other monitors and other organizations are not affected', () =>
    withScene(engine, async ({ api, client, target, monitor, incidents }) => {
      const stranger = (await api.tenant()).client
      const others = [await createUp(client, target), await createUp(stranger, target)]
      await createWindow(client, { ...hourFrom(NOON, 0), allMonitors: false, monitorIds: [monitor.id] })
      target.status = 500
      await client.post(`/monitors/${others[0]?.id}/check`, {})
      await stranger.post(`/monitors/${others[1]?.id}/check`, {})
      const found = [...(await incidents()), ...(await stranger.get('/incidents')).body.data]
      assert.deepEqual(
        found.map((incident) => incident.monitor.id),
        others.map(({ id }) => id),
      )
      await createWindow(client, hourFrom(NOON, 0))
      const third = await createUp(stranger, target)
      target.status = 500
      await stranger.post(`/monitors/${third.id}/check`, {})
      assert.equal((await stranger.get('/incidents')).body.pagination.total, 2, 'all are all of one organization')
    }))
})

forEachEngine('the end of a maintenance window', (engine) => {
  const endings: readonly [what: string, end: (scene: Scene, window: Body) => Promise<unknown>][] = [
    ['deleted', ({ client }, { id }) => client.delete(`/maintenance-windows/${id}`)],
    ['ended early', ({ client, clock }, { id }) => changedWindow(client, id, { endsAt: text(clock.now()) })],
    ['put off', ({ client }, { id }) => changedWindow(client, id, hourFrom(NOON, 20 * HOUR))],
    [
      'made to cover another monitor instead',
      async ({ client }, { id }) => {
        const other = await createMonitor(client, smallest('CRON'))
        await changedWindow(client, id, { monitorIds: [other.id], allMonitors: false })
      },
    ],
  ]
  for (const [what, end] of endings) {
    test(`a window that is ${what} ends with it: its monitors are checked at once`, () =>
      withScene(engine, async (scene) => {
        const { client, clock, target, check, incidents } = scene
        const window = await createWindow(client, hourFrom(NOON, -1))
        target.status = 500
        await check()
        clock.advance(5 * 60_000)
        assert.deepEqual(await incidents(), [])
        await end(scene, window)
        await eventually(async () => assert.equal((await incidents()).length, 1))
      }))
  }

  test('the result of a check that began inside and ends after it is discarded', () =>
    withScene(engine, async ({ api, client, clock, target, check, incidents }) => {
      await createWindow(client, hourFrom(NOON, 0))
      target.status = 500
      const letGo = target.hold()
      const visited = target.visited()
      const inFlight = check()
      await visited
      clock.advance(HOUR)
      // The scheduler makes the monitor due again under a new revision, so the result in flight is stale.
      await schedulerIdle(api, clock)
      target.status = 200
      letGo()
      await inFlight
      await eventually(async () => assert.equal((await check()).state, 'UP'))
      assert.deepEqual(await incidents(), [])
    }))

  test('heartbeats: a missed one is DOWN without an incident, and opens it at the end', () =>
    withScene(engine, async ({ client, clock, incidents }) => {
      const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 60, graceSeconds: 0 }))
      await fetch(job.heartbeatUrl)
      await createWindow(client, { ...hourFrom(NOON, 0), allMonitors: false, monitorIds: [job.id] })
      clock.advance(60_000)
      await eventually(async () => assert.equal((await current(client, job.id)).state, 'DOWN'))
      assert.deepEqual(await incidents(), [])
      clock.advance(HOUR)
      await eventually(async () => assert.equal((await incidents())[0]?.monitor.id, job.id))
    }))
})
