import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageOf, pruneCoverage } from '../../../src/monitoring/maintenance-coverage/coverage.ts'
import type { UptimeTotals } from '../../../src/monitoring/monitor-states/ledger.ts'
import { uptimeSeries, uptimeStats } from '../../../src/monitoring/statistics/uptime.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { Tenant } from '../../support/api.ts'
import type { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, changedWindow, DAY, HOUR, hourFrom, madeWindow, text } from '../../support/maintenance.ts'
import { made, smallest } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { NOON, withApi } from './stage.ts'

const MINUTE = 60_000

interface Scene extends Tenant {
  readonly clock: HandClock
  readonly monitor: Body
  readonly database: Parameters<Parameters<typeof withApi>[2]>[0]['server']['running']['database']
  check(status?: number): Promise<void>
  /** Where the time since noon went. */
  tally(): Promise<Pick<UptimeTotals, 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs'>>
}

/** A monitor of a check a day, found up at noon; who checks it is the test. */
function scene(engine: 'sqlite' | 'postgres', act: (scene: Scene) => Promise<void>): Promise<void> {
  return withApi(engine, 'api', async (api, clock) => {
    await using target = await startHttpTarget()
    const tenant = await api.tenant()
    const { client } = tenant
    const { database } = api.server.running
    const monitor = await made(client, smallest('HTTP', { url: target.url, intervalSeconds: 86_400 }))
    const [row] = await database.read(execute(q.selectFrom('monitors').select('num').where('id', '=', monitor.id)))
    const num = row?.num as number
    const check = async (status = 200) => {
      target.status = status
      const answer = await client.post(`/monitors/${monitor.id}/check`, {})
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
    await check()
    await act({
      ...tenant,
      ...{ clock, monitor, database, check },
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
  test('leaves a window out to the millisecond, whatever the times of the checks, before and after the next one', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      await madeWindow(client, { startsAt: text(NOON + HOUR + 13), endsAt: text(NOON + 2 * HOUR + 20) })
      clock.advance(90 * MINUTE)
      const halfway = 30 * MINUTE - 13
      assert.deepEqual(await tally(), { upMs: HOUR + 13, downMs: 0, pausedMs: 0, maintenanceMs: halfway })
      clock.advance(3.5 * HOUR)
      const whole = { upMs: 4 * HOUR - 7, downMs: 0, pausedMs: 0, maintenanceMs: HOUR + 7 }
      assert.deepEqual(await tally(), whole)
      await check()
      assert.deepEqual(await tally(), whole)
    }))

  test('leaves out what was down inside, and counts what was down outside', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      await madeWindow(client, hourFrom(NOON, 10 * MINUTE))
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

  test('counts windows that overlap once, and every occurrence of one that recurs', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      const own = { allMonitors: false, monitorIds: [monitor.id] }
      await madeWindow(client, { ...own, ...hourFrom(NOON, HOUR) })
      await madeWindow(client, hourFrom(NOON, 1.5 * HOUR))
      await madeWindow(client, { ...own, ...hourFrom(NOON - 3 * DAY, 4 * HOUR), recurrence: 'DAILY' })
      clock.advance(6 * HOUR)
      await check()
      assert.equal((await tally()).maintenanceMs, 2.5 * HOUR)
      clock.advance(24 * HOUR)
      assert.equal((await tally()).maintenanceMs, 3.5 * HOUR)
    }))

  test('a window counts from when it was made, as it was until it was changed, and until it was deleted', () =>
    scene(engine, async ({ client, clock, check, tally }) => {
      clock.advance(HOUR)
      const window = await madeWindow(client, hourFrom(NOON, 0, 3 * HOUR))
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

  test('a monitor that leaves a window or joins it does so to the millisecond', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      const other = await made(client, smallest('CRON'))
      const { id } = await madeWindow(client, {
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

  test('a pause, an edit and a resume tell of a window exactly as a check does; paused time is paused', () =>
    scene(engine, async ({ client, clock, monitor, check, tally }) => {
      await madeWindow(client, hourFrom(NOON, 30 * MINUTE, 2 * HOUR))
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

forEachEngine('what was covered', (engine) => {
  test('is kept for as long as an account may still have to be told of it, and then forgotten', () =>
    scene(engine, async ({ client, clock, orgId, database }) => {
      const { id } = await madeWindow(client, hourFrom(NOON, 0))
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

  test('is nothing where nobody is asked about', () =>
    withApi(engine, 'api', async (api) => {
      const { database } = api.server.running
      assert.equal((await database.read(uptimeStats(999_999, '24h', NOON))).uptime, null)
      assert.equal((await database.read(uptimeSeries([], '30d', NOON))).size, 0)
    }))

  test('is read for several organizations at once, each with its own', () =>
    withApi(engine, 'api', async (api) => {
      const tenants = [await api.tenant(), await api.tenant(), await api.tenant()]
      for (const [i, { client }] of tenants.slice(0, 2).entries()) await madeWindow(client, hourFrom(NOON, i * HOUR))
      const { database } = api.server.running
      const orgIds = tenants.map(({ orgId }) => orgId)
      const covered = await database.read(coverageOf(new Set(orgIds), NOON - DAY, NOON + DAY))
      assert.deepEqual(
        orgIds.map((orgId) => covered(orgId, 7)),
        [[{ from: NOON, to: NOON + HOUR }], [{ from: NOON + HOUR, to: NOON + 2 * HOUR }], []],
      )
    }))
})
