import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { storeHour } from './stored-hours.ts'

const iso = (ms: number) => new Date(ms).toISOString()

interface Point {
  readonly startAt: string
  readonly upMs: number
  readonly checks: number
  readonly unknownMs: number
}

forEachEngine('time without results', (engine) => {
  const api = useApi(engine)

  test('is in response times, the monitor list and the uptime report', async () => {
    const { client } = await api.tenant()
    const { body } = await client.post('/monitors', { name: 'Shop', type: 'HTTP', url: 'http://127.0.0.1:9/' })
    const { database } = api.server.running
    const now = Date.now()
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS
    const createdAt = hour - 5 * HOUR_MS
    await database.write(() =>
      execute(q.updateTable('monitors').set({ created_at: createdAt }).where('id', '=', body.id)),
    )
    const up = { checks: 60, responses: '{}' }
    await storeHour(api.server, body.id, hour - 4 * HOUR_MS, { ...up, up_ms: HOUR_MS })
    await storeHour(api.server, body.id, hour - 3 * HOUR_MS, { ...up, up_ms: HOUR_MS - 20 * MINUTE_MS })
    await storeHour(api.server, body.id, hour - 2 * HOUR_MS, { ...up, up_ms: HOUR_MS - 2 * MINUTE_MS })

    const { points } = (await client.get(`/monitors/${body.id}/response-times`)).body as { points: Point[] }
    assert.deepEqual(
      points.slice(0, 5).map(({ startAt, unknownMs, checks }) => [startAt, unknownMs / MINUTE_MS, checks]),
      [
        [iso(hour - 5 * HOUR_MS), 60, 0],
        [iso(hour - 4 * HOUR_MS), 0, 60],
        [iso(hour - 3 * HOUR_MS), 20, 60],
        [iso(hour - 2 * HOUR_MS), 2, 60],
        [iso(hour - HOUR_MS), 60, 0],
      ],
    )
    const exact = await client.get(
      `/monitors/${body.id}/response-times?from=${iso(hour - 2 * DAY_MS)}&to=${iso(hour - 3 * HOUR_MS)}`,
    )
    assert.deepEqual(
      exact.body.points.map(({ unknownMs }: Point) => unknownMs / MINUTE_MS),
      [60, 0],
    )

    const { data } = (await client.get('/monitor-list')).body
    const shown = data[0].hours.slice(-7, -1)
    assert.equal(shown, '-NUNUN', 'a gap of two minutes is not drawn')

    const { data: report } = (await client.get('/uptime-report?timezone=UTC')).body
    const [uptime] = (await client.get(`/monitors/${body.id}/uptime?span=30d`)).body.data
    const sinceMonth = Math.max(createdAt, Date.parse(`${iso(now).slice(0, 7)}-01T00:00:00Z`))
    assert.ok(Math.abs(report[0].unknownMs - (now - sinceMonth)) < 2 * MINUTE_MS, `${report[0].unknownMs}`)
    assert.ok(uptime.unknownMs >= report[0].unknownMs)
  })
})
