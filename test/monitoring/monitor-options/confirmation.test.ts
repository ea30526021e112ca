import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const env = { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_CONFIRM_DELAYS: '0' }

forEachEngine('a monitor with a confirmation', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(engine, { env })
  })
  after(() => server.stop())

  test('fails after its own number of repeats, and recovers after several successes', async () => {
    await using target = await startHttpTarget()
    const client = server.client()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, expectedStatus: [200] }))
    const check = async (status: number) => {
      target.status = status
      const before = target.visits
      const { state } = (await client.post(`/monitors/${id}/check`, {})).body
      return [state, target.visits - before]
    }
    const incidents = async (status: string) =>
      (await client.get(`/incidents?monitorId=${id}&status=${status}`)).body.pagination.total
    /** Each change makes the monitor due; its check would be counted. */
    const checkedAfter = async (change: () => Promise<unknown>) => {
      const checkedAt = async () => (await client.get(`/monitors/${id}`)).body.lastCheckedAt
      await eventually(async () => assert.ok(await checkedAt()))
      const before = await checkedAt()
      await change()
      await eventually(async () => assert.notEqual(await checkedAt(), before))
    }
    const confirmation = { failureRetries: 3, retryDelaysSeconds: [0], recoverySuccesses: 3 }
    await checkedAfter(async () => {
      const set = await client.send('PUT', `/monitors/${id}/confirmation`, confirmation)
      assert.deepEqual(set.body, confirmation)
    })
    assert.deepEqual(await check(200), ['UP', 1])
    assert.deepEqual(await check(500), ['DOWN', 4])
    assert.deepEqual(await check(200), ['DOWN', 1])
    assert.deepEqual(await check(200), ['DOWN', 1])
    assert.equal(await incidents('ONGOING'), 1)
    const [newest] = (await client.get(`/monitors/${id}/checks?limit=1`)).body.data
    assert.deepEqual(
      [newest.state, newest.causeCode, newest.error],
      ['DOWN', null, 'Succeeded; 2 of 3 successes in a row that end the outage'],
    )
    assert.deepEqual(await check(500), ['DOWN', 4], 'a failure starts over')
    for (const state of ['DOWN', 'DOWN', 'UP']) assert.deepEqual(await check(200), [state, 1])
    assert.deepEqual([await incidents('ONGOING'), await incidents('RESOLVED')], [0, 1])
    await checkedAfter(() => client.delete(`/monitors/${id}/confirmation`))
    assert.deepEqual(await check(500), ['DOWN', 2])
    assert.deepEqual(await check(200), ['UP', 1])
  })

  test('needs several heartbeats of a job that failed', async () => {
    const client = server.client()
    const { id, heartbeatUrl } = await createMonitor(client, smallest('CRON'))
    const confirmation = { failureRetries: 0, recoverySuccesses: 2 }
    assert.equal((await client.send('PUT', `/monitors/${id}/confirmation`, confirmation)).status, 200)
    const states: string[] = []
    for (const signal of ['', '/fail', '', '']) {
      await fetch(`${server.url}${new URL(heartbeatUrl).pathname}${signal}`)
      states.push((await client.get(`/monitors/${id}`)).body.state)
    }
    assert.deepEqual(states, ['UP', 'DOWN', 'DOWN', 'UP'])
  })
})
