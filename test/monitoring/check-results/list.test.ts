import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { type Api, startApi, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { claim } from '../../support/person.ts'
import { closedPort } from '../../support/ports.ts'
import { startHttpTarget, startTcpTarget } from '../../support/targets.ts'

const NO_NETWORK = 'No sentinel host can be reached; this server may be offline'

const iso = (ms: number) => new Date(ms).toISOString()

forEachEngine('the checks of a monitor', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 2, 2, 23, 58))
  const api: Api = useApi(engine, { clock })

  test('are listed newest first with the reasons of failures, by state and time', async () => {
    await using target = await startHttpTarget()
    const { client, reader } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const times: number[] = []
    for (const status of [200, 503, 200, 500, 200]) {
      clock.advance(MINUTE_MS)
      target.status = status
      await client.post(`/monitors/${id}/check`, {})
      times.push(clock.now())
    }
    const list = async (query = '') => (await (await reader()).get(`/monitors/${id}/checks${query}`)).body
    const { data, pagination } = await list()
    assert.deepEqual(pagination, { limit: 25, offset: 0, total: 5 })
    assert.deepEqual(
      data.map(({ at, state, causeCode }: Record<string, unknown>) => [at, state, causeCode]),
      times.map((at, i) => [iso(at), i % 2 === 0 ? 'UP' : 'DOWN', i % 2 === 0 ? null : 'STATUS']).toReversed(),
    )
    assert.match(data[1].error, /^HTTP 500 /)
    assert.deepEqual([data[0].error, data[0].location, typeof data[0].responseMs], [null, 'home', 'number'])
    const down = await list('?state=DOWN&limit=1&offset=1')
    assert.deepEqual(down.pagination, { limit: 1, offset: 1, total: 2 })
    assert.match(down.data[0].error, /^HTTP 503 /)
    assert.equal((await list('?state=UP')).pagination.total, 3)
    assert.equal((await list('?state=INCONCLUSIVE')).pagination.total, 0)
    const between = await list(`?from=${iso(times[1] as number)}&to=${iso(times[3] as number)}`)
    assert.deepEqual(
      between.data.map(({ at }: { at: string }) => at),
      [iso(times[2] as number), iso(times[1] as number)],
    )
  })

  test('keep the failed tries and the phases of what is not plainly UP, and list what a repeat repaired', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const confirmation = { failureRetries: 1, retryDelaysSeconds: [0], recoverySuccesses: 1 }
    assert.equal((await client.send('PUT', `/monitors/${id}/confirmation`, confirmation)).status, 200)
    const check = async () => {
      clock.advance(MINUTE_MS)
      await client.post(`/monitors/${id}/check`, {})
      return clock.now()
    }
    await check()
    target.status = 503
    void target.visited().then(() => setImmediate(() => (target.status = 200)))
    const repairedAt = await check()
    target.status = 500
    await check()
    const list = async (query = '') => (await client.get(`/monitors/${id}/checks${query}`)).body
    const [down, repaired, up] = (await list()).data
    assert.deepEqual([down.state, repaired.state, up.state], ['DOWN', 'UP', 'UP'])
    assert.equal(down.tries.length, 2)
    assert.deepEqual(
      repaired.tries.map(({ at, ...failed }: { at: string }) => [Date.parse(at) <= repairedAt, failed]),
      [
        [
          true,
          { causeCode: 'STATUS', error: down.error.replace('500 Internal Server Error', '503 Service Unavailable') },
        ],
      ],
    )
    assert.deepEqual([repaired.error, repaired.causeCode], [null, null])
    for (const { phases } of [down, repaired]) {
      assert.deepEqual(Object.keys(phases).sort(), ['connectMs', 'downloadMs', 'firstByteMs'])
    }
    assert.deepEqual(['phases' in up, 'tries' in up], [false, false])
    assert.deepEqual(await list('?repaired=true'), {
      data: [repaired],
      pagination: { limit: 25, offset: 0, total: 1 },
    })
    assert.equal((await list('?repaired=true&state=DOWN')).pagination.total, 0)
    assert.equal((await list(`?repaired=true&from=${iso(repairedAt + 1)}`)).pagination.total, 0)
    assert.equal((await client.get(`/monitors/${id}/checks?repaired=no`)).status, 400)
  })

  test('refuse what cannot be, and are 404 in other organizations', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    const faultOf = async (query: string) => {
      const { status, body } = await client.get(`/monitors/${id}/checks?${query}`)
      assert.equal(status, 400, query)
      return body.error.details[0].path
    }
    const now = clock.now()
    assert.equal(await faultOf('state=PAUSED'), 'state')
    assert.equal(await faultOf('state='), 'state')
    assert.equal(await faultOf('from=today'), 'from')
    assert.equal(await faultOf(`from=${iso(now)}&to=${iso(now - DAY_MS)}`), 'to')
    // A leap second is the last second of its minute.
    assert.equal(await faultOf('from=2026-01-01T00:00:60Z&to=2026-01-01T00:00:59Z'), 'to')
    assert.equal((await client.get(`/monitors/${id}/checks?from=2026-01-01T00:00:60Z`)).status, 200)
    assert.equal(await faultOf('limit=101'), 'limit')
    assert.equal(await faultOf('offset=100001'), 'offset')
    const stranger = await api.tenant()
    assert.equal((await stranger.client.get(`/monitors/${id}/checks`)).status, 404)
  })
})

forEachEngine('inconclusive checks', (engine) => {
  test('have their reason in a header and in the list, one per interval, and change nothing else', async () => {
    const clock = new HandClock()
    // Without a network no failure to connect says anything about the target.
    const env = { PHAROS_SENTINELS: `127.0.0.1:${await closedPort()}` }
    const api = await startApi(engine, { clock, env })
    await using _ = api.server
    const owner = await claim(api.server)
    const client = api.clientOf(api.server.key)
    await using target = await startTcpTarget()
    const settings = { host: '127.0.0.1', port: await closedPort(), intervalSeconds: 60 }
    const { id } = await createMonitor(client, smallest('PORT', settings))
    const check = (headers = {}) => client.post(`/monitors/${id}/check`, {}, headers)
    // Three checks in the first interval, one in the second.
    for (const seconds of [10, 10, 10, 40]) {
      clock.advance(seconds * 1_000)
      const key = { 'idempotency-key': `check-${clock.now()}` }
      const answer = await check(key)
      assert.equal(answer.body.state, 'PENDING')
      assert.equal(answer.headers.get('x-pharos-check'), `inconclusive; reason="${NO_NETWORK}"`)
      const again = await check(key)
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
      assert.equal(again.headers.get('x-pharos-check'), answer.headers.get('x-pharos-check'))
    }
    const inSession = await owner.post(`/v1/monitors/${id}/check`, {})
    assert.equal(inSession.headers.get('x-pharos-check'), `inconclusive; reason="${NO_NETWORK}"`)
    const { body } = await client.get(`/monitors/${id}/checks`)
    assert.deepEqual(
      body.data.map(({ state, error, causeCode }: Record<string, unknown>) => [state, error, causeCode]),
      Array(2).fill(['INCONCLUSIVE', NO_NETWORK, null]),
    )
    assert.equal((await client.get(`/monitors/${id}/checks?state=INCONCLUSIVE`)).body.pagination.total, 2)
    const { body: uptime } = await client.get(`/monitors/${id}/uptime?span=24h`)
    assert.deepEqual([uptime.data[0].checks, uptime.data[0].uptime], [0, null])
    assert.deepEqual(uptime.data[0].unknownReasons, [{ reason: 'INCONCLUSIVE', ms: 70_000 }])
    await client.patch(`/monitors/${id}`, { port: target.port })
    const conclusive = await check()
    assert.deepEqual([conclusive.body.state, conclusive.headers.get('x-pharos-check')], ['UP', null])
  })
})
