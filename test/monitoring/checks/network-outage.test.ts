import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quickTiming } from '../../notifications/contacts/alerting.ts'
import { HandClock } from '../../support/clock.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, current, type MonitorBody, smallest } from '../../support/monitors.ts'
import { closedPort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget, startTcpTarget } from '../../support/targets.ts'
import { checkCounts, expectNoIncident, metricsEnv } from './faults.ts'
import { resultsOf } from './stored-history.ts'

/** A server whose sentinels are these ports on loopback. */
async function startWithSentinels(
  engine: Engine,
  ports: readonly number[],
  roles: 'all' | 'api',
  clock = new HandClock(),
) {
  const sentinels = ports.map((port) => `127.0.0.1:${port}`).join(',')
  const env = { ...metricsEnv, PHAROS_SENTINELS: sentinels, PHAROS_ROLES: roles }
  return startTestServer(engine, { env, clock })
}

async function createOnPort(client: Client, port: number): Promise<MonitorBody> {
  return createMonitor(client, smallest('PORT', { host: '127.0.0.1', port }))
}

async function check(client: Client, id: string): Promise<MonitorBody> {
  return bodyOf(await client.post(`/monitors/${id}/check`, {}))
}

async function incidents(client: Client): Promise<MonitorBody[]> {
  const { data } = (await client.get('/incidents')).body
  return Promise.all(data.map(async ({ id }: MonitorBody) => (await client.get(`/incidents/${id}`)).body))
}

forEachEngine('a network that may be down', (engine) => {
  test('if no sentinel can be reached, an unreachable target is not DOWN, and the check is counted as inconclusive and repeated', async () => {
    const clock = new HandClock()
    await using server = await startWithSentinels(engine, [await closedPort(), await closedPort()], 'all', clock)
    const client = server.client()
    const before = await createOnPort(client, await closedPort())
    const inconclusive = (count: number) =>
      eventually(async () => {
        const { saved, inconclusive, underWay } = await checkCounts(server)
        assert.deepEqual([saved, underWay], [0, 0])
        assert.equal(inconclusive, count)
      })
    await inconclusive(1)
    for (const count of [2, 3]) {
      // Sooner than the interval of five minutes.
      clock.advance(15_000)
      await inconclusive(count)
    }
    assert.deepEqual(await current(client, before.id), before, 'its state is unchanged')
    await expectNoIncident(client)
    const stored = (await resultsOf(server, before.id)).map(({ state }) => state)
    assert.deepEqual(stored, ['INCONCLUSIVE'], 'one per interval is stored')
  })

  test('a monitor that was UP stays UP, and one that was DOWN stays DOWN in the same incident', async () => {
    const [closed, sentinel] = [await closedPort(), await closedPort()]
    await using web = await startHttpTarget()
    web.status = 503
    await using server = await startWithSentinels(engine, [sentinel], 'api')
    const client = server.client()
    const target = await startTcpTarget()
    const up = await createOnPort(client, target.port)
    assert.equal((await check(client, up.id)).state, 'UP')
    const down = await createMonitor(client, smallest('HTTP', { url: web.url }))
    assert.equal((await check(client, down.id)).state, 'DOWN', 'wrong content comes from the target, network or not')
    await target[Symbol.asyncDispose]()
    await client.patch(`/monitors/${down.id}`, { url: `http://127.0.0.1:${closed}/` })
    const [before, known] = [await current(client, up.id), await incidents(client)]
    assert.deepEqual(await check(client, up.id), before)
    assert.equal((await check(client, down.id)).state, 'DOWN')
    assert.deepEqual(await incidents(client), known)
    assert.equal(known.length, 1)
  })

  test('contacts get one message about all monitors that this server cannot reach', async () => {
    const clock = new HandClock()
    await using receiver = await startReceiver()
    const env = {
      ...metricsEnv,
      PHAROS_SELF_DOUBT: 'on',
      PHAROS_SENTINELS: `127.0.0.1:${await closedPort()}`,
      PHAROS_PRIVATE_WEBHOOKS: 'allow',
    }
    await using server = await startTestServer(engine, { env, clock, alertPace: quickTiming })
    const client = server.client()
    await client.post('/contacts', { name: 'On call', channel: 'WEBHOOK', settings: { url: receiver.url } })
    for (let i = 0; i < 3; i += 1) await createOnPort(client, await closedPort())
    await eventually(async () => assert.equal((await checkCounts(server)).inconclusive, 3))
    await eventually(async () => {
      clock.advance(10_000)
      assert.equal(receiver.messages.length, 1)
    })
    assert.match(
      receiver.messages[0]?.raw ?? '',
      /cannot reach any of 3 targets since \d\d:\d\d UTC\. Its own network is/,
    )
    assert.match(receiver.messages[0]?.event.link, /\/monitors$/)
    assert.deepEqual(await incidents(client), [])
  })

  test('if one sentinel answers, an unreachable target is DOWN', async () => {
    await using sentinel = await startTcpTarget()
    await using server = await startWithSentinels(engine, [await closedPort(), sentinel.port], 'api')
    const client = server.client()
    const { id } = await createOnPort(client, await closedPort())
    await expectDown(server, client, id)
  })

  test('without sentinels the network is assumed to work', async () => {
    await using server = await startWithSentinels(engine, [], 'api')
    const client = server.client()
    const { id } = await createOnPort(client, await closedPort())
    await expectDown(server, client, id)
  })

  test('an inconclusive check by hand is counted like a scheduled one', async () => {
    await using server = await startWithSentinels(engine, [await closedPort()], 'api')
    const client = server.client()
    const { id } = await createOnPort(client, await closedPort())
    assert.equal((await check(client, id)).state, 'PENDING')
    assert.equal((await checkCounts(server)).inconclusive, 1)
  })
})

/** On a busy machine a thread may stall and make a check inconclusive; then it is repeated. */
async function expectDown(server: TestServer, client: Client, id: string): Promise<void> {
  await eventually(async () => assert.equal((await check(client, id)).state, 'DOWN'))
  assert.deepEqual(
    (await incidents(client)).map(({ causeCode }) => causeCode),
    ['CONNECT'],
  )
  assert.equal((await resultsOf(server, id)).filter(({ state }) => state === 'DOWN').length, 1)
}
