import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, smallest, without } from '../../support/monitors.ts'
import { nextCheckAt } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'

forEachEngine('POST /monitors/{monitorId}/resume', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  test('a paused monitor becomes PENDING and is due straight away, its settings as they were', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const { body: paused } = await client.post(`/monitors/${id}/pause`, {})
    clock.advance(5000)
    const answer = await client.post(`/monitors/${id}/resume`, {})
    assert.equal(answer.status, 200)
    const moments = ['lastStatusChangedAt', 'updatedAt']
    assert.deepEqual(without(answer.body, ...moments), without({ ...paused, state: 'PENDING' }, ...moments))
    assert.deepEqual(await current(client, id), answer.body)
    assert.equal(await nextCheckAt(api.server, id), clock.now())
  })

  for (const [state, status] of [
    ['UP', 200],
    ['DOWN', 500],
  ] as const) {
    test(`a monitor that is ${state} is returned unchanged by resume; after a pause it is PENDING until its next check`, async () => {
      await using target = await startHttpTarget()
      target.status = status
      const { client } = await api.tenant()
      const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
      const { body: before } = await client.post(`/monitors/${id}/check`, {})
      assert.equal(before.state, state)
      clock.advance(60_000)
      const answer = await client.post(`/monitors/${id}/resume`, {})
      assert.deepEqual([answer.status, answer.body], [200, before])
      assert.deepEqual(await current(client, id), before)
      await client.post(`/monitors/${id}/pause`, {})
      assert.equal((await client.post(`/monitors/${id}/resume`, {})).body.state, 'PENDING')
      assert.equal((await client.post(`/monitors/${id}/check`, {})).body.state, state)
    })
  }

  test('a PENDING monitor is returned unchanged by resume, and resuming twice is resuming once', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client)
    clock.advance(60_000)
    assert.deepEqual((await client.post(`/monitors/${before.id}/resume`, {})).body, before)
    await client.post(`/monitors/${before.id}/pause`, {})
    const first = await client.post(`/monitors/${before.id}/resume`, {})
    clock.advance(60_000)
    assert.deepEqual((await client.post(`/monitors/${before.id}/resume`, {})).body, first.body)
  })

  test('a resumed CRON monitor keeps its heartbeat address and waits for its ping', async () => {
    const { client } = await api.tenant()
    const before = await createMonitor(client, smallest('CRON'))
    await client.post(`/monitors/${before.id}/pause`, {})
    const { body } = await client.post(`/monitors/${before.id}/resume`, {})
    assert.deepEqual([body.state, body.heartbeatUrl], ['PENDING', before.heartbeatUrl])
  })
})
