import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { histogramText, withSample } from '../../../src/monitoring/monitor-states/histogram.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { setMonitorState } from '../../publishing/public-site/fixtures.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { makeMonitor, useInstallation } from '../../support/person.ts'
import { numOf } from '../checks/stored-history.ts'
import { storeHour } from '../uptime/stored-hours.ts'

const NOW = Date.UTC(2027, 0, 31, 14, 20)
const none = { counts: { up: 0, degraded: 0, down: 0, paused: 0, pending: 0, total: 0 }, longestDown: null }

forEachEngine('the overview', (engine) => {
  const installation = useInstallation(engine, { clock: new HandClock(NOW) })
  const make = (name: string, fields: object = {}) => makeMonitor(installation, name, fields)
  const overview = async () => (await installation.owner.get('/v1/overview')).body
  const removeAll = async (): Promise<void> => {
    for (const { id } of (await installation.owner.get('/v1/monitors?limit=100')).body.data) {
      await installation.owner.delete(`/v1/monitors/${id}`)
    }
  }

  test('of nothing is empty, whatever others have', async () => {
    const { key } = await installation.server.organization('FREE')
    const foreign = { name: 'theirs', type: 'HTTP', url: 'https://example.com/', intervalSeconds: 300 }
    const { body } = await installation.server.client(key).post('/monitors', foreign)
    await setMonitorState(installation.server, body.id, 'DOWN', NOW)
    assert.deepEqual(await overview(), { ...none, slowest: [], expiring: [] })
  })

  test('counts monitors by state, and names the one that has been down for the longest', async () => {
    const { server } = installation
    await setMonitorState(server, await make('a'), 'DOWN', NOW - HOUR_MS)
    const longest = await make('b')
    await setMonitorState(server, longest, 'DOWN', NOW - 2 * HOUR_MS)
    await setMonitorState(server, await make('c'), 'UP', NOW - 9 * HOUR_MS)
    await setMonitorState(server, await make('d'), 'DEGRADED', NOW)
    await setMonitorState(server, await make('e'), 'PAUSED', NOW)
    await make('f')
    const { counts, longestDown } = await overview()
    assert.deepEqual(counts, { up: 1, degraded: 1, down: 2, paused: 1, pending: 1, total: 6 })
    assert.deepEqual(longestDown, { id: longest, name: 'b', since: new Date(NOW - 2 * HOUR_MS).toISOString() })
    await removeAll()
  })

  test('names the five slowest of the last day, and no jobs', async () => {
    const { server } = installation
    const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS
    const took = (ms: number) => ({ checks: 1, responses: histogramText(withSample([], ms)) })
    const slow = async (name: string, ms: number, back: number, fields: object = {}): Promise<void> => {
      const id = await make(name, fields)
      await setMonitorState(server, id, 'UP', NOW)
      await storeHour(server, id, hour - back * HOUR_MS, took(ms))
    }
    for (const [i, ms] of [100, 700, 300, 500, 200, 400].entries()) await slow(`m${ms}`, ms, 1 + i)
    await slow('yesterday', 9_000, 24)
    await slow('job', 60_000, 1, { type: 'CRON' })
    await make('never answered')
    const { slowest } = await overview()
    assert.deepEqual(
      slowest.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`),
      ['m700 HTTP', 'm500 HTTP', 'm400 HTTP', 'm300 HTTP', 'm200 HTTP'],
    )
    for (const { name, p95Ms } of slowest) {
      const ms = Number(name.slice(1))
      assert.ok(Math.abs(p95Ms - ms) <= 0.03 * ms, `${name}: ${p95Ms}`)
    }
    await removeAll()
  })

  test('names what expires within 30 days, the soonest first, twenty at most', async () => {
    const expires = async (name: string, at: number, fields: object = {}): Promise<string> => {
      const id = await make(name, fields)
      const num = await numOf(installation.server, id)
      const expiry = q.updateTable('monitor_states').set({ cert_expires_at: at }).where('num', '=', num)
      await installation.server.running.database.write(() => execute(expiry))
      return id
    }
    await expires('late', NOW + 30 * DAY_MS + 1)
    const last = await expires('last', NOW + 30 * DAY_MS)
    const domain = await expires('domain', NOW + DAY_MS, { type: 'DOMAIN', url: 'example.com' })
    const over = await expires('over', NOW - DAY_MS)
    const { expiring } = await overview()
    const at = (ms: number): string => new Date(ms).toISOString()
    assert.deepEqual(expiring, [
      { id: over, name: 'over', kind: 'CERTIFICATE', expiresAt: at(NOW - DAY_MS) },
      { id: domain, name: 'domain', kind: 'DOMAIN', expiresAt: at(NOW + DAY_MS) },
      { id: last, name: 'last', kind: 'CERTIFICATE', expiresAt: at(NOW + 30 * DAY_MS) },
    ])
    for (let i = 0; i < 20; i += 1) await expires(`x${i}`, NOW + 2 * DAY_MS + i)
    const { expiring: many } = await overview()
    assert.deepEqual([many.length, many[2].name, many[19].name], [20, 'x0', 'x17'])
  })
})
