import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, current, smallest, total, without } from '../../support/monitors.ts'
import { nextCheckAt } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'

forEachEngine('POST /monitors/{monitorId}/pause', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  for (const type of ['HTTP', 'CRON'] as const) {
    test(`a new ${type} monitor is paused: its checks stop and its settings stay`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, smallest(type))
      clock.advance(1000)
      const answer = await client.post(`/monitors/${before.id}/pause`, {})
      assert.equal(answer.status, 200)
      const moments = ['lastStatusChangedAt', 'updatedAt']
      assert.deepEqual(without(answer.body, ...moments), without({ ...before, state: 'PAUSED' }, ...moments))
      assert.deepEqual(await current(client, before.id), answer.body)
      assert.equal(await nextCheckAt(api.server, before.id), null)
    })
  }

  for (const [state, status] of [
    ['UP', 200],
    ['DOWN', 500],
  ] as const) {
    test(`a monitor that is ${state} can be paused, and what its checks found is kept`, async () => {
      await using target = await startHttpTarget()
      target.status = status
      const { client } = await api.tenant()
      const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
      const { body: before } = await client.post(`/monitors/${id}/check`, {})
      assert.equal(before.state, state)
      const { body: after } = await client.post(`/monitors/${id}/pause`, {})
      assert.equal(after.state, 'PAUSED')
      assert.deepEqual([after.lastCheckedAt, after.lastResponseMs], [before.lastCheckedAt, before.lastResponseMs])
    })
  }

  test('a paused monitor is returned unchanged by pause', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const first = await client.post(`/monitors/${id}/pause`, {})
    clock.advance(60_000)
    const second = await client.post(`/monitors/${id}/pause`, {})
    assert.equal(second.status, 200)
    assert.deepEqual(second.body, first.body)
    assert.deepEqual(await current(client, id), first.body)
  })

  test('pausing touches no other monitor, and a paused monitor stays in the list', async () => {
    const { client } = await api.tenant()
    const [paused, other] = [await createMonitor(client), await createMonitor(client)]
    const { body } = await client.post(`/monitors/${paused.id}/pause`, {})
    assert.deepEqual((await client.get('/monitors')).body.data, [body, other])
    assert.equal(await total(client), 2)
  })
})
