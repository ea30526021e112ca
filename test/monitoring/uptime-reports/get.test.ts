import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { storeDay } from '../uptime/stored-hours.ts'

const NOW = Date.UTC(2026, 10, 18, 12)
const OCTOBER = Date.UTC(2026, 9, 1)

forEachEngine('the uptime report of a month', (engine) => {
  const installation = useInstallation(engine, { clock: new HandClock(NOW) })

  /** A monitor that was down for some time of each of these days, and up for the rest. */
  async function monitor(name: string, team: string | null, days: Readonly<Record<number, number>>): Promise<string> {
    const client = installation.server.client()
    const { id } = (await client.post('/monitors', { name, type: 'PING', host: 'h.example' })).body
    if (team !== null) await client.send('PUT', `/monitors/${id}/labels`, { labels: { team } })
    for (const [startAt, downMs] of Object.entries(days)) {
      const times = { up_ms: DAY_MS - downMs, down_ms: downMs }
      await storeDay(installation.server, id, Number(startAt), times)
    }
    return id
  }

  test('counts the calendar month of the time zone of the organization, per monitor and per label', async () => {
    const edges = {
      [OCTOBER - DAY_MS]: 0,
      [OCTOBER]: HOUR_MS,
      [Date.UTC(2026, 9, 31)]: 0,
      [Date.UTC(2026, 10, 1)]: 5 * HOUR_MS,
    }
    await monitor('a', 'web', edges)
    await monitor('b', 'web', { [OCTOBER + DAY_MS]: 12 * HOUR_MS })
    await monitor('c', null, {})
    const client = installation.server.client()
    const { status, body } = await client.get('/uptime-report?month=2026-10&groupBy=team&limit=2')
    assert.equal(status, 200)
    assert.deepEqual(
      [body.timezone, body.from, body.to],
      ['UTC', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
    )
    assert.deepEqual(
      body.data.map(({ name, upMs, downMs }: Record<string, number>) => [name, upMs, downMs]),
      [
        ['a', 2 * DAY_MS - HOUR_MS, HOUR_MS],
        ['b', DAY_MS / 2, DAY_MS / 2],
      ],
    )
    assert.deepEqual(body.pagination, { limit: 2, offset: 0, total: 3 })
    const down = HOUR_MS + DAY_MS / 2
    assert.deepEqual(body.groups, [
      {
        value: 'web',
        monitors: 2,
        uptime: 1 - down / (3 * DAY_MS),
        upMs: 3 * DAY_MS - down,
        downMs: down,
        pausedMs: 0,
        maintenanceMs: 0,
        unknownMs: 0,
      },
      { value: null, monitors: 1, uptime: null, upMs: 0, downMs: 0, pausedMs: 0, maintenanceMs: 0, unknownMs: 0 },
    ])

    assert.equal((await installation.owner.patch('/organization', { timezone: 'Mars/Olympus' })).status, 400)
    assert.equal(
      (await installation.owner.patch('/organization', { timezone: 'Europe/Berlin' })).body.timezone,
      'Europe/Berlin',
    )
    const berlin = (await client.get('/uptime-report?month=2026-10')).body
    assert.deepEqual([berlin.from, berlin.to], ['2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'])
    // Two hours of the day before, and 23 of the last day.
    assert.equal(berlin.data[0].upMs, 2 * HOUR_MS + 23 * HOUR_MS + 23 * HOUR_MS)
    for (const query of ['month=2026-13', 'month=2026-10&timezone=x', 'month=2026-10&groupBy=Bad']) {
      assert.equal((await client.get(`/uptime-report?${query}`)).status, 400, query)
    }
    assert.match((await client.get('/uptime-report')).body.month, /^20\d\d-\d\d$/)
  })

  test('the response times of an hour are by minute, of a week by hour, of older times by day', async () => {
    const id = await monitor('d', null, { [OCTOBER]: 0 })
    const client = installation.server.client()
    const at = (ms: number) => new Date(ms).toISOString()
    const step = async (from: number, to: number) => {
      const { body } = await client.get(`/monitors/${id}/response-times?from=${at(from)}&to=${at(to)}`)
      return [body.span, body.stepSeconds, body.points.length]
    }
    assert.deepEqual(await step(NOW - HOUR_MS, NOW), [null, 60, 0])
    assert.deepEqual((await step(NOW - DAY_MS - MINUTE_MS, NOW)).slice(0, 2), [null, 3600])
    assert.deepEqual(await step(OCTOBER, OCTOBER + 20 * DAY_MS), [null, 86_400, 1])
    assert.equal((await client.get(`/monitors/${id}/response-times?span=7d&from=${at(NOW - DAY_MS)}`)).status, 400)
  })
})
