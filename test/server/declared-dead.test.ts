import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor, smallest } from '../support/monitors.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startHttpTarget } from '../support/targets.ts'
import { createDelivery, createEndpoint, currentDelivery } from '../support/webhooks.ts'

const node = { timing: { renewEveryMs: 100, aliveForMs: 3_000, deadAfterMs: 4_000 } }
const env = { PHAROS_PRIVATE_WEBHOOKS: 'allow' }

const names = async ({ running }: TestServer) =>
  (await running.database.read(execute(q.selectFrom('nodes').select('name')))).map(({ name }) => name)

/** What another node does with a dead one. */
const declareDead = ({ running }: TestServer) => running.database.write(() => execute(q.deleteFrom('nodes')))

test('a node that was declared dead works on under a new name', { skip: withoutPostgres }, async () => {
  await using receiver = await startReceiver()
  await using target = await startHttpTarget()
  await using server = await startTestServer('postgres', { env, node })
  const client = server.client((await server.organization('STARTER')).key)
  const endpoint = await createEndpoint(client, { url: receiver.url })
  const [before] = await names(server)
  await declareDead(server)
  await eventually(async () => assert.equal((await names(server)).length, 1))
  assert.notDeepEqual(await names(server), [before])
  const delivery = await createDelivery(client, endpoint.id)
  await eventually(async () => assert.equal((await currentDelivery(client, delivery.id)).status, 'SUCCEEDED'))
  const monitor = await createMonitor(client, smallest('HTTP', { url: target.url }))
  await eventually(async () => assert.equal((await client.get(`/monitors/${monitor.id}`)).body.state, 'UP'))
})
