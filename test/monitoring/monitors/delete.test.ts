import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { monitorOperations } from '../../support/contract.ts'
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
import { call, sharedOutcomes } from '../../support/outcomes.ts'
import { nextCheckAt } from '../../support/tables.ts'

forEachEngine('DELETE /monitors/{monitorId}', (engine) => {
  const api = useApi(engine)
  sharedOutcomes('delete', api)

  for (const type of ['HTTP', 'CRON'] as const) {
    test(`a deleted ${type} monitor is gone from the list, and its check is no longer due`, async () => {
      const { client } = await api.tenant()
      const [kept, gone] = [await createMonitor(client, smallest(type)), await createMonitor(client, smallest(type))]
      const answer = await client.delete(`/monitors/${gone.id}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { data: { id: gone.id } })
      const listed = (await client.get('/monitors')).body
      assert.deepEqual(listed.data, [kept])
      assert.equal(listed.pagination.total, 1)
      assert.equal(await nextCheckAt(api.server, gone.id), undefined)
    })
  }

  test('a paused monitor can be deleted', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    await client.post(`/monitors/${id}/pause`, {})
    assert.equal((await client.delete(`/monitors/${id}`)).status, 200)
    assert.equal(await total(client), 0)
  })

  test('every operation on a deleted monitor is 404, deleting it again too', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    await client.delete(`/monitors/${id}`)
    for (const operation of monitorOperations.filter(({ path }) => path('a') !== path('b'))) {
      expectError(await call(client, operation, id), 'not_found')
    }
    assert.equal(await total(client), 0)
  })

  test('a deleted monitor gives its allowance back, exactly one', async () => {
    const { client } = await api.tenant('FREE')
    const monitors: MonitorBody[] = []
    for (let i = 0; i < 10; i += 1) monitors.push(await createMonitor(client))
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    await client.delete(`/monitors/${monitors[3]?.id}`)
    expectError(await client.delete(`/monitors/${monitors[3]?.id}`), 'not_found')
    await createMonitor(client)
    expectError(await client.post('/monitors', smallest('HTTP')), 'plan_limit')
    assert.equal(await total(client), 10)
  })

  test('of deletions at the same time one succeeds, and the total shrinks by one', async () => {
    const { client } = await api.tenant()
    const [{ id }, other] = [await createMonitor(client), await createMonitor(client)]
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.delete(`/monitors/${id}`)))
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(7).fill(404)])
    assert.deepEqual((await client.get('/monitors')).body.data, [other])
    assert.equal(await total(client), 1)
  })

  test('monitors can be deleted and created at the same time, and the total stays exact', async () => {
    const { client } = await api.tenant()
    const monitors = await Promise.all(Array.from({ length: 20 }, () => createMonitor(client)))
    await Promise.all(monitors.flatMap(({ id }) => [client.delete(`/monitors/${id}`), createMonitor(client)]))
    assert.equal(await total(client), 20)
    assert.equal((await client.get('/monitors?limit=100')).body.data.length, 20)
  })

  test('an empty id is 404 and deletes nothing', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client)
    const answer = await unchangedBy(client, () => client.delete('/monitors/'))
    expectError(answer, 'not_found')
    assert.deepEqual(await current(client, monitor.id), monitor)
  })
})
