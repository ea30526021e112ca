import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { CheckConfigCache } from '../../../src/monitoring/checks/check-config.ts'
import { saveResult } from '../../../src/monitoring/checks/save-results.ts'
import { SingleNodeChecks } from '../../../src/monitoring/checks/single-node-checks.ts'
import { uptimeStats } from '../../../src/monitoring/uptime/compute.ts'
import { uptimeSeries } from '../../../src/monitoring/uptime/read-periods.ts'
import { Dice } from '../../support/dice.ts'
import { testSealer } from '../../support/installation.ts'
import { Store } from '../checks/simulation/store.ts'
import { SimulatedUsers } from '../checks/simulation/users.ts'
import { World } from '../checks/simulation/world.ts'

const NOON = Date.UTC(2025, 0, 5, 12)

/** A monitor that a check found up at noon. */
async function upSince(intervalSeconds: number) {
  const store = new Store()
  await store.open()
  const world = new World(store, new Dice(1), NOON, 1)
  const users = new SimulatedUsers(world)
  const monitor = users.create({ type: 'HTTP', url: 'http://shop.example/', intervalSeconds })
  const {
    claims: [claim],
  } = await new SingleNodeChecks(store.database(), new CheckConfigCache(testSealer)).takeDue(NOON, 1)
  assert.ok(claim !== undefined)
  assert.ok(store.write(() => saveResult({ claim, sample: { outcome: 'success', responseMs: 20 }, at: NOON }, '')))
  return { store, world, users, monitor }
}

test('time that is not in a roll-up yet is counted up to now, while the state is valid', async () => {
  const { store, monitor } = await upSince(60)
  const upMs = (at: number) => store.read(uptimeStats(monitor.num, '24h', at)).totals.upMs
  assert.equal(upMs(NOON + 90_000), 90_000)
  // Valid for twice the interval and two minutes.
  assert.equal(upMs(NOON + HOUR_MS), 4 * MINUTE_MS)
  const { uptime, p50Ms } = store.read(uptimeStats(monitor.num, '24h', NOON + HOUR_MS))
  assert.equal(uptime, 1)
  assert.equal(p50Ms, 20)
})

test('a span includes nothing from before it, even if no roll-up was written since', async () => {
  const { store, monitor } = await upSince(86_400)
  const { totals } = store.read(uptimeStats(monitor.num, '24h', NOON + 30 * HOUR_MS))
  assert.equal(totals.upMs, 24 * HOUR_MS)
})

test('a monitor that has been paused for months has one period for each day of the span', async () => {
  const { store, world, users, monitor } = await upSince(60)
  users.pause(monitor)
  world.now = NOON + 200 * DAY_MS
  const days = store.read(uptimeSeries([monitor.num], '90d', world.now)).get(monitor.num)
  assert.equal(days?.length, 90)
  assert.equal(days?.at(0)?.startAt, Math.floor(world.now / DAY_MS) * DAY_MS - 89 * DAY_MS)
  assert.equal(days?.at(0)?.totals.pausedMs, DAY_MS)
  assert.equal(days?.at(-1)?.totals.pausedMs, 12 * HOUR_MS)
})

test('the resume after a pause of two years writes hours for eight days only', async () => {
  const { store, world, users, monitor } = await upSince(60)
  users.pause(monitor)
  world.now = NOON + 730 * DAY_MS
  users.resume(monitor)
  const days = store.rollups('days', monitor.num)
  assert.equal(days.length, 731)
  assert.equal(
    days.reduce((sum, day) => sum + day.paused_ms, 0),
    730 * DAY_MS,
  )
  // The pause has 17,520 hours, but statistics use hours up to a week.
  assert.equal(store.rollups('hours', monitor.num).length, 8 * 24)
  const week = store.read(uptimeStats(monitor.num, '7d', world.now)).totals
  assert.equal(week.pausedMs, 7 * DAY_MS)
})
