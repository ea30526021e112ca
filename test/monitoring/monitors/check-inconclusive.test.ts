import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { claim } from '../../support/person.ts'
import { closedPort } from '../../support/ports.ts'
import { startTestServer } from '../../support/server.ts'
import { startTcpTarget } from '../../support/targets.ts'

const REASON = 'No sentinel host can be reached; this server may be offline'

forEachEngine('an inconclusive check by a user', (engine) => {
  test('has its reason in a header, also when it is replayed, and is listed with it', async () => {
    const clock = new HandClock()
    const env = {
      PHAROS_ROLES: 'api',
      PHAROS_CONFIRM_DELAYS: '',
      PHAROS_SENTINELS: `127.0.0.1:${await closedPort()}`,
    }
    await using server = await startTestServer(engine, { env, clock })
    const owner = await claim(server)
    const client = server.client()
    await using target = await startTcpTarget()
    const port = await closedPort()
    const { id } = await createMonitor(client, smallest('PORT', { host: '127.0.0.1', port }))
    const latest = async () => (await client.get(`/monitors/${id}/checks?limit=1`)).body.data[0]
    assert.equal(await latest(), undefined)

    const headers = { 'idempotency-key': 'check' }
    const first = await client.post(`/monitors/${id}/check`, {}, headers)
    assert.deepEqual([first.status, first.body.state], [200, 'PENDING'])
    assert.equal(first.headers.get('x-pharos-check'), `inconclusive; reason="${REASON}"`)
    assert.partialDeepStrictEqual(await latest(), {
      at: new Date(clock.now()).toISOString(),
      state: 'INCONCLUSIVE',
      error: REASON,
    })
    const again = await client.post(`/monitors/${id}/check`, {}, headers)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(again.headers.get('x-pharos-check'), first.headers.get('x-pharos-check'))
    assert.deepEqual(again.body, first.body)
    const inDashboard = await owner.post(`/v1/monitors/${id}/check`, {})
    assert.equal(inDashboard.headers.get('x-pharos-check'), first.headers.get('x-pharos-check'))

    clock.advance(1_000)
    await client.patch(`/monitors/${id}`, { port: target.port })
    const second = await client.post(`/monitors/${id}/check`, {})
    assert.deepEqual([second.body.state, second.headers.get('x-pharos-check')], ['UP', null])
    assert.equal((await latest()).state, 'UP')
  })
})
