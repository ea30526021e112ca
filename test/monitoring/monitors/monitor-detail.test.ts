import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, useInstallation } from '../../support/person.ts'

forEachEngine('the detail of a monitor in the dashboard', (engine) => {
  const installation = useInstallation(engine)
  const target = createServer((request, response) => {
    response.statusCode = request.url === '/broken' ? 503 : 200
    response.end('hello')
  })
  const at = (path: string): string => `http://127.0.0.1:${(target.address() as AddressInfo).port}${path}`
  before(() => new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve)))
  after(() => {
    target.closeAllConnections()
    target.close()
  })

  test('a session can call the operations of an API key, in the name of the user', async () => {
    const { owner, server } = installation
    const created = await owner.post('/v1/monitors', { name: 'Shop', type: 'HTTP', url: at('/broken') })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('ratelimit-limit'), null, 'the rate limit of keys does not apply')
    const { body: down } = await owner.post(`/v1/monitors/${created.body.id}/check`, {})
    assert.equal(down.state, 'DOWN')
    const { body: incidents } = await owner.get('/v1/incidents')
    const { body: incident } = await owner.post(`/v1/incidents/${incidents.data[0].id}/acknowledge`)
    assert.deepEqual(incident.acknowledgedBy, { type: 'USER', name: 'owner' })
    assert.ok(incident.timeline.some(({ message }: { message: string }) => message === 'Acknowledged by owner'))
    const detail = await server.client().get(`/incidents/${incident.id}`)
    assert.deepEqual(detail.body.acknowledgedBy, { type: 'USER', name: 'owner' })
    const faulty = await owner.post('/v1/monitors', { name: '', type: 'HTTP' })
    assert.deepEqual(
      faulty.body.error.details.map(({ path }: { path: string }) => path),
      ['name', 'url'],
    )
  })

  test('a request with the same Idempotency-Key is applied once', async () => {
    const send = () =>
      installation.owner.send('POST', '/v1/monitors', { name: 'once', type: 'CRON' }, { 'idempotency-key': 'one' })
    const [first, second] = [await send(), await send()]
    assert.deepEqual([first.body.id, second.headers.get('idempotency-replayed')], [second.body.id, 'true'])
  })

  test('a monitor’s uptime, series and latest results are those of its checks', async () => {
    const { owner, server } = installation
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'Web', type: 'HTTP', url: at('/') })
    assert.equal((await owner.post(`/v1/monitors/${monitor.id}/check`, {})).body.state, 'UP')
    const { database } = server.running
    const [row] = await database.read(
      execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', monitor.id)),
    )
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
    const rollup = { org_id: row?.org_id as string, num: row?.num as number, start_at: hour, up_ms: 2_700_000 }
    const rest = { degraded_ms: 0, down_ms: 900_000, paused_ms: 0, maintenance_ms: 0, checks: 60, failures: 15 }
    await database.write(() => execute(q.insertInto('rollup_hours').values({ ...rollup, ...rest, responses: '{}' })))
    const { body: series } = await owner.get(`/v1/monitors/${monitor.id}/response-times?span=24h`)
    assert.equal(series.stepSeconds, 3600)
    assert.deepEqual([series.points[0].startAt, series.points[0].uptime], [new Date(hour).toISOString(), 0.75])
    assert.ok(series.points.at(-1).checks >= 1, 'the current hour is included')
    const { body: uptime } = await owner.get(`/v1/monitors/${monitor.id}/uptime`)
    assert.deepEqual(
      uptime.data.map(({ span }: { span: string }) => span),
      ['24h', '7d', '30d', '90d', '365d'],
    )
    assert.ok(uptime.data[0].downMs === 900_000 && uptime.data[0].uptime < 0.8)
    const { body: results } = await owner.get(`/v1/monitors/${monitor.id}/checks`)
    assert.deepEqual([results.data[0].state, results.data[0].error], ['UP', null])
    assert.equal((await owner.get(`/v1/monitors/${monitor.id}/response-times?span=2y`)).status, 400)
  })

  test('heartbeats are listed with their signal and body', async () => {
    const { body } = await installation.owner.post('/v1/monitors', { name: 'job', type: 'CRON' })
    const url = body.heartbeatUrl.replace(/^https?:\/\/[^/]+/, installation.server.url)
    await fetch(`${url}/3?rid=a`, { method: 'POST', body: 'it broke' })
    const { body: list } = await installation.owner.get(`/v1/monitors/${body.id}/heartbeats`)
    const [{ signal, exitCode, rid, body: output }] = list.data
    assert.deepEqual([signal, exitCode, rid, output], ['EXIT', 3, 'a', 'it broke'])
  })

  test('settings can be tested before they are saved, and nothing is stored', async () => {
    const before = (await installation.owner.get('/v1/monitors')).body.pagination.total
    const tried = await installation.owner.post('/v1/monitors/try', { name: 'x', type: 'HTTP', url: at('/') })
    assert.deepEqual([tried.status, tried.body.outcome, tried.body.statusCode], [200, 'SUCCESS', 200])
    assert.ok(tried.body.timings.connectMs >= 0 && tried.body.timings.firstByteMs >= 0)
    const broken = await installation.owner.post('/v1/monitors/try', { name: 'x', type: 'HTTP', url: at('/broken') })
    assert.deepEqual([broken.body.outcome, broken.body.causeCode], ['FAILURE', 'STATUS'])
    assert.equal((await installation.owner.get('/v1/monitors')).body.pagination.total, before)
    assert.equal((await installation.owner.post('/v1/monitors/try', { name: 'x', type: 'CRON' })).status, 400)
    const answers = []
    for (let i = 0; i < 20; i += 1)
      answers.push(await installation.owner.post('/v1/monitors/try', { name: 'x', type: 'HTTP', url: at('/') }))
    assert.equal(answers.at(-1)?.status, 429, 'the number of tests is limited')
  })
})

forEachEngine('the usage of an organization', (engine) => {
  const installation = useInstallation(engine)

  test('includes the limits of the plan', async () => {
    const viewer = await joinByInvitation(installation, 'looks@example.com', 'VIEWER')
    const { body } = await viewer.get('/v1/usage')
    assert.deepEqual(
      [body.plan, body.monitors.limit, body.statusPages],
      ['SELF_HOSTED', null, { used: 0, limit: null }],
    )
    await installation.owner.post('/v1/monitors', { name: 'one', type: 'CRON' })
    assert.equal((await viewer.get('/v1/usage')).body.monitors.used, 1)
  })
})
