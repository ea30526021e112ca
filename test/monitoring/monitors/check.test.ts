import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  createMonitor,
  current,
  expectError,
  type MonitorBody,
  smallest,
  total,
  unchangedBy,
} from '../../support/monitors.ts'
import type { Answer, Client } from '../../support/server.ts'
import { nextCheckAt } from '../../support/tables.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import { numOf, resultsOfNum } from '../checks/stored-history.ts'

const check = (client: Client, id: string): Promise<Answer> => client.post(`/monitors/${id}/check`, {})

forEachEngine('POST /monitors/{monitorId}/check', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  findings(api, clock)
  refusals(api)
  staleResults(api)
})

/** Checks a monitor and expects this state. */
async function expectState(client: Client, id: string, state: string, clock: HandClock): Promise<MonitorBody> {
  const answer = await check(client, id)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.state, state)
  assert.equal(answer.body.lastCheckedAt, new Date(clock.now()).toISOString())
  assert.deepEqual(await current(client, id), answer.body)
  return answer.body
}

function findings(api: Api, clock: HandClock): void {
  const pages = [
    { status: 200, state: 'UP' },
    { status: 503, state: 'DOWN' },
  ]
  for (const { status, state } of pages) {
    test(`a target that answers ${status} makes the monitor ${state}`, async () => {
      await using target = await startHttpTarget()
      target.status = status
      const { client } = await api.tenant()
      const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
      clock.advance(1000)
      const monitor = await expectState(client, id, state, clock)
      assert.equal(monitor.lastStatusChangedAt, monitor.lastCheckedAt)
      assert.ok(monitor.lastResponseMs >= 0)
      assert.ok(target.visits > 0)
    })
  }

  test('lastCheckedAt moves with every check, lastStatusChangedAt only with the state', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const first = await expectState(client, id, 'UP', clock)
    clock.advance(60_000)
    const second = await expectState(client, id, 'UP', clock)
    assert.equal(second.lastStatusChangedAt, first.lastStatusChangedAt)
    target.status = 500
    clock.advance(60_000)
    const third = await expectState(client, id, 'DOWN', clock)
    assert.equal(third.lastStatusChangedAt, third.lastCheckedAt)
    target.status = 200
    clock.advance(60_000)
    const fourth = await expectState(client, id, 'UP', clock)
    assert.equal(fourth.lastStatusChangedAt, fourth.lastCheckedAt)
  })

  test('a check by hand does not end the scheduled ones', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await expectState(client, id, 'UP', clock)
    assert.equal(typeof (await nextCheckAt(api.server, id)), 'number')
  })

  test('a check changes no setting', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const before = await createMonitor(client, smallest('HTTP', { url: target.url, requestHeaders: { 'X-A': 'b' } }))
    const after = await expectState(client, before.id, 'UP', clock)
    const found = ['state', 'lastCheckedAt', 'lastStatusChangedAt', 'lastResponseMs']
    for (const field of Object.keys(before).filter((name) => !found.includes(name))) {
      assert.deepEqual(after[field], before[field], field)
    }
  })
}

function refusals(api: Api): void {
  test('checking a paused monitor is 409 without a probe or a change; once resumed, it is checked', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await client.post(`/monitors/${id}/pause`, {})
    const answer = await unchangedBy(client, () => check(client, id))
    assert.equal(answer.status, 409)
    expectError(answer, 'conflict')
    assert.equal(target.visits, 0)
    await client.post(`/monitors/${id}/resume`, {})
    assert.equal((await check(client, id)).body.state, 'UP')
  })

  test('a CRON monitor that was never pinged stays PENDING', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON', { intervalSeconds: 30, graceSeconds: 0 }))
    for (const _ of [1, 2]) {
      const answer = await check(client, id)
      assert.deepEqual([answer.status, answer.body.state], [200, 'PENDING'])
    }
    assert.equal((await current(client, id)).state, 'PENDING')
  })
}

interface Underway {
  readonly client: Client
  readonly monitor: MonitorBody
  readonly target: HttpTarget
}

/** What a check answers when `meanwhile` happens between its visit to the target and the target's answer. */
async function whileChecking(api: Api, meanwhile: (underway: Underway) => Promise<unknown>, status = 200) {
  await using target = await startHttpTarget()
  target.status = status
  const { client } = await api.tenant()
  const monitor = await createMonitor(client, smallest('HTTP', { url: target.url }))
  const release = target.hold()
  const visited = target.visited()
  const checking = check(client, monitor.id)
  await visited
  try {
    await meanwhile({ client, monitor, target })
  } finally {
    release()
  }
  return { client, monitor, answer: await checking }
}

/** The same for a failure that `meanwhile` makes stale: it opens no incident and leaves no result. */
async function whileFailing(api: Api, meanwhile: (underway: Underway) => Promise<unknown>) {
  let num = 0
  const ended = await whileChecking(
    api,
    async (underway) => {
      num = await numOf(api.server, underway.monitor.id)
      await meanwhile(underway)
    },
    503,
  )
  assert.deepEqual((await ended.client.get('/incidents')).body.data, [])
  assert.deepEqual(await resultsOfNum(api.server, num), [])
  return ended
}

function staleResults(api: Api): void {
  const url = 'https://elsewhere.example/'
  type Change = (client: Client, path: string) => Promise<unknown>
  const changes: Readonly<Record<string, readonly [change: Change, after: MonitorBody]>> = {
    'a pause': [(client, path) => client.post(`${path}/pause`, {}), { state: 'PAUSED' }],
    'a pause and a resume': [
      (client, path) => client.post(`${path}/pause`, {}).then(() => client.post(`${path}/resume`, {})),
      { state: 'PENDING' },
    ],
    'an edit': [(client, path) => client.patch(path, { url }), { state: 'PENDING', url }],
  }
  for (const [what, [change, after]] of Object.entries(changes)) {
    test(`${what} during a check makes its result stale: the answer is 200 with the changed monitor`, async () => {
      const { client, monitor, answer } = await whileFailing(api, ({ client, monitor }) =>
        change(client, `/monitors/${monitor.id}`),
      )
      assert.equal(answer.status, 200)
      assert.partialDeepStrictEqual(answer.body, { ...after, lastCheckedAt: null })
      assert.deepEqual(await current(client, monitor.id), answer.body)
    })
  }

  test('a deletion during a check: the answer is 404, and nothing is written', async () => {
    const { client, answer } = await whileFailing(api, async ({ client, monitor }) => {
      assert.equal((await client.delete(`/monitors/${monitor.id}`)).status, 200)
    })
    expectError(answer, 'not_found')
    assert.equal(await total(client), 0)
  })

  test('a check that waits for its target does not block other requests', async () => {
    const { answer } = await whileChecking(api, async ({ client, monitor }) => {
      const other = await createMonitor(client)
      assert.equal((await client.patch(`/monitors/${other.id}`, { name: 'Other' })).status, 200)
      assert.equal((await client.delete(`/monitors/${other.id}`)).status, 200)
      assert.deepEqual(await current(client, monitor.id), monitor)
    })
    assert.equal(answer.body.state, 'UP')
  })
}
