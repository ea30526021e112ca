import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Client, startTestServer } from '../support/server.ts'
import { apply, idOf } from './support.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** 02:30 UTC. */
const NOW = Date.UTC(2026, 5, 15, 2, 30) / 1000
const TODAY = NOW - 2.5 * HOUR

const document = {
  version: 1,
  source: 'import-kuma',
  monitors: { shop: { name: 'Shop', type: 'CRON' }, idle: { name: 'Idle', type: 'CRON' } },
  statusPages: { main: { name: 'Main', slug: 'shop', sections: [{ name: 'All', monitors: [{ monitor: 'shop' }] }] } },
}

/** 100 days of which each has an hour of downtime at noon, up to now. */
function history(downSeconds = HOUR) {
  const days = Array.from({ length: 100 }, (_, i) => TODAY - (100 - i) * DAY)
  const hours = Array.from({ length: 8 * 24 }, (_, i) => TODAY - (8 * 24 - i) * HOUR)
  const isNoon = (at: number) => at % DAY === 12 * HOUR
  return {
    source: 'import-kuma',
    monitors: [
      {
        key: 'shop',
        hours: [
          ...hours.map((at) => [
            at,
            isNoon(at) ? HOUR - downSeconds : HOUR,
            isNoon(at) ? downSeconds : 0,
            0,
            60,
            0,
            80,
          ]),
          ...[TODAY, TODAY + HOUR, TODAY + 2 * HOUR, TODAY + 3 * HOUR].map((at) => [at, HOUR, 0, 0, 60, 0, null]),
        ],
        days: [
          ...days.map((at) => [at, DAY - downSeconds, downSeconds, 0, 1440, 60, 80]),
          [TODAY, 3 * HOUR, 0, 0, 180, 0, null],
        ],
      },
    ],
  }
}

async function uptimesOf(client: Client, id: string) {
  const { body } = await client.get(`/monitors/${id}/uptime`)
  return new Map<
    string,
    { uptime: number; upMs: number; downMs: number; checks: number; unknownMs: number; p50Ms: number }
  >(body.data.map((one: { span: string }) => [one.span, one]))
}

forEachEngine('imported history', (engine) => {
  const start = async () => {
    const clock = new HandClock(NOW * 1000)
    const server = await startTestServer(engine, { clock, env: { PHAROS_ROLES: 'api' } })
    const client = server.client()
    await apply(client, document)
    const send = async (body: object) => {
      const answer = await client.post('/configuration/history', body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    return { server, client, clock, send, id: await idOf(client, '/monitors', 'Shop') }
  }

  test('is uptime from the first day, also on the status page, and a second import replaces it', async () => {
    const { server, client, clock, send, id } = await start()
    await using _server = server
    assert.deepEqual(await send(history()), { monitors: 1, hours: 8 * 24 + 3, days: 101 })
    const first = await uptimesOf(client, id)
    assert.deepEqual(
      [first.get('24h')?.upMs, first.get('24h')?.downMs, first.get('24h')?.p50Ms],
      [(24 + 0.5 - 1) * HOUR * 1000, HOUR * 1000, 79],
    )
    assert.equal(first.get('90d')?.downMs, 90 * HOUR * 1000)
    assert.equal(first.get('90d')?.unknownMs, 0)
    assert.ok(Math.abs((first.get('30d')?.uptime ?? 0) - 23 / 24) < 0.001)
    const page = await (await fetch(`${server.url}/status/shop`)).text()
    const bars = page.match(/class="[^"]*\bdown\b/g)?.length ?? 0
    assert.ok(bars >= 89, `89 whole days have a bar of downtime, not ${bars}`)
    // The monitor reports here, and the clock goes on: its own time is kept apart.
    const { heartbeatUrl } = (await client.get(`/monitors/${id}`)).body
    const beat = () => fetch(`${server.url}${new URL(heartbeatUrl).pathname}`)
    await beat()
    clock.advance(HOUR * 1000)
    await beat()
    const before = await uptimesOf(client, id)
    assert.equal(before.get('90d')?.checks, (first.get('90d')?.checks ?? 0) + 2)
    await send(history())
    assert.deepEqual(await uptimesOf(client, id), before)
    await send(history(HOUR / 2))
    const after = await uptimesOf(client, id)
    assert.equal(after.get('7d')?.downMs, (before.get('7d')?.downMs ?? 0) / 2)
    assert.equal(after.get('7d')?.checks, before.get('7d')?.checks)
  })

  test('does not count after the monitor was created, and does not hide that nobody looked since then', async () => {
    const { server, client, clock, send, id } = await start()
    await using _server = server
    clock.advance(2 * DAY * 1000)
    const late = {
      key: 'shop',
      hours: [[TODAY + DAY, HOUR, 0, 0, 60, 0, 80]],
      days: [[TODAY + DAY, DAY, 0, 0, 1440, 0, 80]],
    }
    assert.deepEqual(await send({ source: 'import-kuma', monitors: [late] }), { monitors: 0, hours: 0, days: 0 })
    await send(history())
    assert.equal((await uptimesOf(client, id)).get('7d')?.unknownMs, 2 * DAY * 1000)
  })

  test('names what is wrong with it', async () => {
    const { server, client } = await start()
    await using _server = server
    const faultsOf = async (body: object, by = client) => {
      const answer = await by.post('/configuration/history', body)
      return [answer.status, ...answer.body.error.details.map(({ path }: { path: string }) => path)]
    }
    const shop = { key: 'shop', hours: [[TODAY + 1, 1, 1, 1, 1, 1, null]], days: [[TODAY, 1, null, 1, 1, 1, null]] }
    const nobody = { key: 'nobody', hours: [], days: [] }
    assert.deepEqual(await faultsOf({ source: 'import-kuma', monitors: [shop, nobody] }), [
      400,
      'monitors.1.key',
      'monitors.0.hours.0',
      'monitors.0.days.0',
    ])
    const { key } = await server.organization('PRO')
    assert.deepEqual(await faultsOf(history(), server.client(key)), [400, 'monitors.0.key'])
  })
})
