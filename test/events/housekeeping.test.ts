import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createEndpoint, deliveries } from '../support/webhooks.ts'
import { migratedWorkspace } from '../support/workspace.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function countRows({ running: { database } }: TestServer): Promise<number[]> {
  const tables = ['webhook_deliveries', 'webhook_tombstones', 'events'] as const
  return Promise.all(
    tables.map(async (table) => (await database.read(execute(q.selectFrom(table).selectAll()))).length),
  )
}

forEachEngine('a running server', (engine) => {
  test('deletes the deliveries of deleted endpoints, and those older than 30 days', async () => {
    await using workspace = await migratedWorkspace(engine)
    const options = { ...workspace.storage, clock: new HandClock(), env: { PHAROS_ROLES: 'api' } }
    {
      await using server = await startTestServer(engine, options)
      const client = server.client()
      const [gone, stays] = [await createEndpoint(client), await createEndpoint(client)]
      for (let i = 0; i < 3; i += 1) await createMonitor(client)
      await client.delete(`/webhook-endpoints/${gone.id}`)
      assert.deepEqual(
        (await deliveries(client)).map(({ endpointId }) => endpointId),
        [stays.id, stays.id, stays.id],
      )
    }
    {
      await using server = await startTestServer(engine, options)
      await eventually(async () => assert.deepEqual(await countRows(server), [3, 0, 3]))
      options.clock.advance(20 * DAY_MS)
      await createMonitor(server.client())
    }
    options.clock.advance(15 * DAY_MS)
    await using server = await startTestServer(engine, options)
    await eventually(async () => assert.deepEqual(await countRows(server), [1, 0, 1]))
    assert.equal((await server.client().get('/webhook-deliveries')).body.pagination.total, 1)
  })
})
