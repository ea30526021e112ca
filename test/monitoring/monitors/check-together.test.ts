import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, current, type MonitorBody, smallest } from '../../support/monitors.ts'
import { type Answer, type Client, startTestServer } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import { checkCounts } from '../checks/faults.ts'
import { resultsOf } from '../checks/stored-history.ts'

const check = (client: Client, id: string): Promise<Answer> => client.post(`/monitors/${id}/check`, {})

forEachEngine('POST /monitors/{monitorId}/check, with concurrent checks and changes', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  severalAtOnce(api)
  renamed(api)
  judged(api, clock)

  test('of a check by hand and a scheduled one at the same time the first result is saved, and only that', async () => {
    await using target = await startHttpTarget()
    target.status = 503
    await using server = await startTestServer(engine, { env: { PHAROS_METRICS_LISTEN: '127.0.0.1:0' } })
    const client = server.client()
    const release = target.hold()
    const visited = target.visited()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 86_400 }))
    await visited
    const asked = check(client, id)
    await eventually(async () => assert.equal(target.visits, 2))
    release()
    const answer = await asked
    assert.deepEqual([answer.status, answer.body.state], [200, 'DOWN'])
    await eventually(async () => {
      const { saved, stale } = await checkCounts(server)
      assert.equal(saved + stale, 1, 'the scheduled check has ended too')
    })
    assert.deepEqual(await failuresOf(client), [1])
    assert.equal((await resultsOf(server, id)).length, 1)
  })
})

/** How many checks failed in each incident. */
async function failuresOf(client: Client): Promise<number[]> {
  const { data } = (await client.get('/incidents')).body
  const details = await Promise.all(data.map(({ id }: MonitorBody) => client.get(`/incidents/${id}`)))
  return details.map(({ body }) => body.failedChecks)
}

/** The answers to this many concurrent checks of one monitor. */
async function together(client: Client, target: HttpTarget, id: string, count: number): Promise<Answer[]> {
  const release = target.hold()
  const before = target.visits
  const asked = Array.from({ length: count }, () => check(client, id))
  await eventually(async () => assert.equal(target.visits - before, count))
  release()
  return Promise.all(asked)
}

function severalAtOnce(api: Api): void {
  test('concurrent checks share one result, which counts once', async () => {
    await using target = await startHttpTarget()
    target.status = 503
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const answers = await together(client, target, id, 5)
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.state], [200, 'DOWN'])
      assert.deepEqual(body, answers[0]?.body)
    }
    assert.deepEqual(await failuresOf(client), [1])
    assert.equal((await resultsOf(api.server, id)).length, 1)
  })

  test('checks that are requested faster than the target answers do not make each other stale', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    for (let round = 1; round <= 3; round += 1) {
      for (const { body } of await together(client, target, id, 2)) assert.equal(body.state, 'UP')
      assert.equal((await resultsOf(api.server, id)).length, round)
    }
  })

  test('concurrent checks of several monitors each have their own result', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const ids: string[] = []
    for (let i = 0; i < 8; i += 1) ids.push((await createMonitor(client, smallest('HTTP', { url: target.url }))).id)
    const answers = await Promise.all(ids.map((id) => check(client, id)))
    assert.deepEqual(
      answers.map(({ body }) => [body.id, body.state]),
      ids.map((id) => [id, 'UP']),
    )
    for (const id of ids) assert.equal((await resultsOf(api.server, id)).length, 1)
  })
}

function renamed(api: Api): void {
  test('a new name does not make a check stale: its result is saved', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const release = target.hold()
    const visited = target.visited()
    const asked = check(client, id)
    await visited
    await client.patch(`/monitors/${id}`, { name: 'Renamed' })
    release()
    const { body } = await asked
    assert.deepEqual([body.state, body.name], ['UP', 'Renamed'])
    assert.deepEqual(await current(client, id), body)
  })
}

function judged(api: Api, clock: HandClock): void {
  test('a slow target is DEGRADED once there are enough samples, and opens no incident', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const settings = { url: target.url, degradedThresholdMs: 50, degradedSamples: 2 }
    const { id } = await createMonitor(client, smallest('HTTP', settings))
    const slowly = async () => {
      const release = target.hold()
      const visited = target.visited()
      const asked = check(client, id)
      await visited
      setTimeout(release, 120)
      return (await asked).body
    }
    assert.equal((await slowly()).state, 'UP', 'one sample is not enough')
    const degraded = await slowly()
    assert.equal(degraded.state, 'DEGRADED')
    assert.ok(degraded.lastResponseMs > 50)
    assert.deepEqual(await failuresOf(client), [])
  })

  test('a CRON monitor is judged by its deadline: UP before it, DOWN from it on', async () => {
    const { client } = await api.tenant()
    const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 60, graceSeconds: 30 }))
    assert.equal((await fetch(job.heartbeatUrl)).status, 200)
    clock.advance(89_999)
    assert.equal((await check(client, job.id)).body.state, 'UP')
    clock.advance(1)
    const { body } = await check(client, job.id)
    assert.deepEqual([body.state, body.lastCheckedAt], ['DOWN', new Date(clock.now()).toISOString()])
    assert.deepEqual(await failuresOf(client), [1])
    assert.equal((await fetch(job.heartbeatUrl)).status, 200)
    assert.equal((await current(client, job.id)).state, 'UP')
  })
}
