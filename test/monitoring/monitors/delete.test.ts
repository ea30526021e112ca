import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { call, monitorOperations } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest, total } from '../../support/monitors.ts'
import { nextCheckAt } from '../../support/tables.ts'

forEachEngine('DELETE /monitors/{monitorId}', (engine) => {
  const api = useApi(engine)
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

  test('every operation on a deleted monitor is 404, deleting it again too', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    await client.delete(`/monitors/${id}`)
    for (const operation of monitorOperations.filter(({ path }) => path('a') !== path('b'))) {
      expectError(await call(client, operation, id), 'not_found')
    }
    assert.equal(await total(client), 0)
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
    const monitors = await Promise.all(Array.from({ length: 8 }, () => createMonitor(client)))
    await Promise.all(monitors.flatMap(({ id }) => [client.delete(`/monitors/${id}`), createMonitor(client)]))
    assert.equal(await total(client), 8)
    assert.equal((await client.get('/monitors?limit=100')).body.data.length, 8)
  })
})
