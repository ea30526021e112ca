import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { storeHour } from './stored-hours.ts'

const iso = (ms: number) => new Date(ms).toISOString()

forEachEngine('insight with an API key', (engine) => {
  const api = useApi(engine)

  async function monitorWith() {
    const tenant = await api.tenant()
    const { body } = await tenant.client.post('/monitors', { name: 'Job', type: 'CRON' })
    return { ...tenant, id: body.id as string, heartbeatUrl: body.heartbeatUrl as string }
  }

  const addHour = (id: string, startAt: number, downMs: number) =>
    storeHour(api.server, id, startAt, { up_ms: HOUR_MS - downMs, down_ms: downMs, checks: 60, failures: 15 })

  test('the uptime is of all spans, of one, or of one exact span', async () => {
    const { client, id, reader } = await monitorWith()
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS
    await addHour(id, hour, HOUR_MS / 4)
    await addHour(id, hour + HOUR_MS, 0)
    const spans = async (query: string) => (await client.get(`/monitors/${id}/uptime${query}`)).body.data
    assert.deepEqual(
      (await spans('')).map(({ span }: { span: string }) => span),
      ['24h', '7d', '30d', '90d', '365d'],
    )
    const [day] = await spans('?span=24h')
    assert.deepEqual([day.span, day.downMs, day.checks, day.p50Ms], ['24h', HOUR_MS / 4, 120, null])
    const [two] = await spans(`?from=${iso(hour)}&to=${iso(hour + 2 * HOUR_MS)}`)
    assert.deepEqual([two.span, two.uptime, two.checks], [null, 0.875, 120])
    const [half] = await spans(`?from=${iso(hour + HOUR_MS / 2)}&to=${iso(hour + 2 * HOUR_MS)}`)
    assert.deepEqual([half.downMs, half.upMs, half.checks], [HOUR_MS / 8, 1.375 * HOUR_MS, 90])
    const [open] = await spans(`?from=${iso(hour + HOUR_MS)}`)
    assert.equal(open.upMs, HOUR_MS)
    const [future] = await spans(`?from=${iso(Date.now() + DAY_MS)}`)
    assert.deepEqual([future.uptime, future.checks], [null, 0])
    const readOnly = await reader()
    assert.equal((await readOnly.get(`/monitors/${id}/uptime`)).status, 200)
  })

  test('a span that cannot be is 400 and names the parameter', async () => {
    const { client, id } = await monitorWith()
    const pathsOf = async (query: string) => {
      const { status, body } = await client.get(`/monitors/${id}/uptime?${query}`)
      assert.equal(status, 400, query)
      return body.error.details.map(({ path }: { path: string }) => path)
    }
    const now = iso(Date.now())
    assert.deepEqual(await pathsOf('span=2d'), ['span'])
    assert.deepEqual(await pathsOf(`to=${now}`), ['from'])
    assert.deepEqual(await pathsOf(`from=${now}&to=${now}`), ['to'])
    assert.deepEqual(await pathsOf(`from=${now}&span=24h`), ['span'])
    assert.deepEqual(await pathsOf('from=yesterday'), ['from'])
    assert.deepEqual(await pathsOf('from='), ['from'])
    // A leap second is the last second of its minute.
    assert.deepEqual(await pathsOf('from=2026-01-01T00:00:60Z&to=2026-01-01T00:00:59Z'), ['to'])
  })

  test('response times have the steps of their span, from the one location that exists', async () => {
    const { client, id } = await monitorWith()
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS
    await addHour(id, hour, 0)
    const { body } = await client.get(`/monitors/${id}/response-times?location=home`)
    assert.deepEqual([body.span, body.stepSeconds, body.points[0].startAt], ['24h', 3600, iso(hour)])
    assert.equal((await client.get(`/monitors/${id}/response-times?span=30d`)).body.stepSeconds, 86_400)
    assert.equal((await client.get(`/monitors/${id}/response-times?location=tokyo`)).status, 400)
    assert.equal((await client.get(`/monitors/${id}/response-times?span=`)).status, 400)
  })

  test('heartbeats are paged, newest first, with their signal and body', async () => {
    const { client, id, heartbeatUrl } = await monitorWith()
    const url = heartbeatUrl.replace(/^https?:\/\/[^/]+/, api.server.url)
    for (const code of [1, 2, 3]) await fetch(`${url}/${code}?rid=a`, { method: 'POST', body: `it broke: ${code}` })
    const { body } = await client.get(`/monitors/${id}/heartbeats?limit=2&offset=1`)
    assert.deepEqual(body.pagination, { limit: 2, offset: 1, total: 3 })
    for (const [i, exitCode] of [2, 1].entries()) {
      assert.partialDeepStrictEqual(body.data[i], { signal: 'EXIT', exitCode, rid: 'a', body: `it broke: ${exitCode}` })
    }
    assert.equal((await client.get(`/monitors/${id}/heartbeats?limit=0`)).status, 400)
  })
})
