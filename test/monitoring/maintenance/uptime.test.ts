import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageOf, pruneCoverage } from '../../../src/monitoring/maintenance-coverage/coverage.ts'
import type { UptimeTotals } from '../../../src/monitoring/monitor-states/ledger.ts'
import { uptimeStats } from '../../../src/monitoring/uptime/compute.ts'
import { uptimeSeries } from '../../../src/monitoring/uptime/read-periods.ts'
import type { Tenant } from '../../support/api.ts'
import type { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, changedWindow, createWindow, DAY, HOUR, hourFrom, text } from '../../support/maintenance.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { numOf } from '../checks/stored-history.ts'
import { NOON, withApi } from './fixtures.ts'

const MINUTE = 60_000

interface Scene extends Tenant {
  readonly clock: HandClock
  readonly monitor: Body
  readonly database: Parameters<Parameters<typeof withApi>[2]>[0]['server']['running']['database']
  check(status?: number): Promise<void>
  /** The statistics since noon. */
  tally(): Promise<Pick<UptimeTotals, 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs'>>
}

/** A monitor that is up at noon; only the test checks it. */
function scene(engine: 'sqlite' | 'postgres', act: (scene: Scene) => Promise<void>): Promise<void> {
  return withApi(engine, 'api', async (api, clock) => {
    await using target = await startHttpTarget()
    const tenant = await api.tenant()
    const { client } = tenant
    const { database } = api.server.running
    const monitor = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 86_400 }))
    const num = await numOf(api.server, monitor.id)
    const check = async (status = 200) => {
      target.status = status
      const answer = await client.post(`/monitors/${monitor.id}/check`, {})
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    await check()
    await act({
      ...tenant,
      clock,
      monitor,
      database,
      check,
      async tally() {
        const { totals: tally } = await database.read(uptimeStats(num, '7d', clock.now()))
        const bars = await database.read(uptimeSeries([num], '30d', clock.now()))
        const { upMs, downMs, pausedMs, maintenanceMs } = tally
        const sum = bars.get(num)?.reduce((all, day) => all + day.totals.maintenanceMs, 0)
        assert.equal(sum, maintenanceMs, 'days and hours agree')
        return { upMs, downMs, pausedMs, maintenanceMs }
      },
    })
  })
}

forEachEngine('uptime', (engine) => {
  test('excludes a window to the millisecond, whenever checks are made', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      await createWindow(client, { startsAt: text(NOON + HOUR + 13), endsAt: text(NOON + 2 * HOUR + 20) })
      clock.advance(90 * MINUTE)
      const halfway = 30 * MINUTE - 13
      assert.deepEqual(await tally(), { upMs: HOUR + 13, downMs: 0, pausedMs: 0, maintenanceMs: halfway })
      clock.advance(3.5 * HOUR)
      const whole = { upMs: 4 * HOUR - 7, downMs: 0, pausedMs: 0, maintenanceMs: HOUR + 7 }
      assert.deepEqual(await tally(), whole)
      await check()
      assert.deepEqual(await tally(), whole)
    }))

  test('excludes downtime inside a window, and counts downtime outside', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      await createWindow(client, hourFrom(NOON, 10 * MINUTE))
      clock.advance(5 * MINUTE)
      await check(500)
      clock.advance(25 * MINUTE)
      await check(500)
      clock.advance(60 * MINUTE)
      const expected = { upMs: 5 * MINUTE, downMs: 25 * MINUTE, pausedMs: 0, maintenanceMs: HOUR }
      assert.deepEqual(await tally(), expected)
      await check(200)
      assert.deepEqual(await tally(), expected)
    }))

  test('counts overlapping windows once, and every occurrence of a recurring one', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      const own = { allMonitors: false, monitorIds: [monitor.id] }
      await createWindow(client, { ...own, ...hourFrom(NOON, HOUR) })
      await createWindow(client, hourFrom(NOON, 1.5 * HOUR))
      await createWindow(client, { ...own, ...hourFrom(NOON - 3 * DAY, 4 * HOUR), recurrence: 'DAILY' })
      clock.advance(6 * HOUR)
      await check()
      assert.equal((await tally()).maintenanceMs, 2.5 * HOUR)
      clock.advance(24 * HOUR)
      assert.equal((await tally()).maintenanceMs, 3.5 * HOUR)
    }))

  test('a window counts from its creation to its deletion, and changes only apply from then on', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      clock.advance(HOUR)
      const window = await createWindow(client, hourFrom(NOON, 0, 3 * HOUR))
      clock.advance(30 * MINUTE)
      await changedWindow(client, window.id, hourFrom(NOON, 2 * HOUR, 3 * HOUR))
      clock.advance(HOUR)
      await client.delete(`/maintenance-windows/${window.id}`)
      clock.advance(HOUR)
      const expected = { upMs: 2.5 * HOUR, downMs: 0, pausedMs: 0, maintenanceMs: HOUR }
      assert.deepEqual(await tally(), expected)
      await check()
      assert.deepEqual(await tally(), expected)
    }))

  test('a monitor is added to and removed from a window to the millisecond', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      const other = await createMonitor(client, smallest('CRON'))
      const { id } = await createWindow(client, {
        ...hourFrom(NOON, 0, 10 * HOUR),
        allMonitors: false,
        monitorIds: [other.id],
      })
      clock.advance(HOUR + 1)
      await changedWindow(client, id, { monitorIds: [monitor.id, other.id] })
      clock.advance(HOUR + 2)
      await changedWindow(client, id, { monitorIds: [other.id] })
      clock.advance(HOUR + 3)
      await changedWindow(client, id, { allMonitors: true })
      clock.advance(HOUR + 5)
      await check()
      assert.deepEqual(await tally(), { upMs: 2 * HOUR + 4, downMs: 0, pausedMs: 0, maintenanceMs: 2 * HOUR + 7 })
    }))

  test('a pause, an edit and a resume account for a window exactly as a check does', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      await createWindow(client, hourFrom(NOON, 30 * MINUTE, 2 * HOUR))
      clock.advance(HOUR)
      await client.patch(`/monitors/${monitor.id}`, { timeoutSeconds: 10 })
      clock.advance(30 * MINUTE)
      await client.post(`/monitors/${monitor.id}/pause`, {})
      clock.advance(30 * MINUTE)
      await client.post(`/monitors/${monitor.id}/resume`, {})
      await check()
      clock.advance(HOUR)
      const expected = { upMs: HOUR, downMs: 0, pausedMs: 30 * MINUTE, maintenanceMs: 1.5 * HOUR }
      assert.deepEqual(await tally(), expected)
    }))
})

forEachEngine('stored coverage', (engine) => {
  test('is kept as long as a ledger may need it, and then deleted', () =>
    scene(engine, async ({ client, clock, orgId, database }) => {
      const { id } = await createWindow(client, hourFrom(NOON, 0))
      clock.advance(HOUR)
      await client.delete(`/maintenance-windows/${id}`)
      const spans = async () => (await database.read(coverageOf(new Set([orgId]), NOON, NOON + DAY)))(orgId, 1)
      // Twice a period of 30 days, a grace of one, and two minutes.
      clock.advance(61 * DAY + 2 * MINUTE)
      assert.equal(await database.write(() => pruneCoverage(clock.now(), 10)), 0)
      assert.deepEqual(await spans(), [{ from: NOON, to: NOON + HOUR }])
      clock.advance(4 * DAY)
      assert.equal(await database.write(() => pruneCoverage(clock.now(), 10)), 1)
      assert.deepEqual(await spans(), [])
    }))

  test('is empty for no organizations', () =>
    withApi(engine, 'api', async (api) => {
      const { database } = api.server.running
      assert.equal((await database.read(uptimeStats(999_999, '24h', NOON))).uptime, null)
      assert.equal((await database.read(uptimeSeries([], '30d', NOON))).size, 0)
    }))

  test('is read for several organizations at once', () =>
    withApi(engine, 'api', async (api) => {
      const tenants = [await api.tenant(), await api.tenant(), await api.tenant()]
      for (const [i, { client }] of tenants.slice(0, 2).entries()) await createWindow(client, hourFrom(NOON, i * HOUR))
      const { database } = api.server.running
      const orgIds = tenants.map(({ orgId }) => orgId)
      const covered = await database.read(coverageOf(new Set(orgIds), NOON - DAY, NOON + DAY))
      assert.deepEqual(
        orgIds.map((orgId) => covered(orgId, 7)),
        [[{ from: NOON, to: NOON + HOUR }], [{ from: NOON + HOUR, to: NOON + 2 * HOUR }], []],
      )
    }))
})
