import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { OperationContext } from '../../src/contract/operation.ts'
import { emit } from '../../src/events/emit.ts'
import { releaseEndpoint } from '../../src/notifications/webhooks/release-endpoint.ts'
import { deleteWebhookEndpoint } from '../../src/notifications/webhooks/remove.ts'
import { countInList } from '../../src/storage/list-index.ts'
import { runWork } from '../../src/storage/postgres/run.ts'
import type { DbWork } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { type EventGround, eventGround } from './fixtures.ts'

const NOW = 1_000_000
const ID = 'we_1'

const telling = ({ orgId }: EventGround) => emit({ orgId, type: 'monitor.created', data: '{}', now: NOW })

function releasing({ orgId }: EventGround, endpointId = ID) {
  const lease = { org_id: orgId, id: endpointId, node: 'node', until: NOW + 60_000 }
  return releaseEndpoint({ orgId, endpointId, lease }, NOW, { until: 0, includesManual: false })
}

function deleting({ orgId }: EventGround, endpointId = ID): DbWork<unknown> {
  const { handle } = deleteWebhookEndpoint as unknown as {
    handle(call: OperationContext, input: object): DbWork<unknown>
  }
  return handle({ caller: { orgId } } as OperationContext, { params: { endpointId } })
}

/** A transaction on a connection of its own that ends when it is told to. */
async function begun<T>(ground: EventGround, work: DbWork<T>): Promise<{ result: T; commit(): Promise<void> }> {
  const client = new pg.Client({ connectionString: ground.url })
  await client.connect()
  await client.query('begin')
  const result = await runWork(client as unknown as pg.PoolClient, work)
  return {
    result,
    async commit() {
      await client.query('commit')
      await client.end()
    },
  }
}

/** Runs work in a transaction beside one that is open; it must wait until that one is over. */
async function waitsFor<T>(open: { commit(): Promise<void> }, other: Promise<T>): Promise<T> {
  assert.equal(await Promise.race([other.then(() => 'went on'), setTimeout(200, 'waits')]), 'waits')
  await open.commit()
  return other
}

test('an event that is being told is seen by a sender that is about to rest', { skip: withoutPostgres }, async () => {
  await using ground = await eventGround('postgres')
  await ground.endpoint(ID, { claimed_by: 'node', due_at: NOW + 60_000 })
  const event = await begun(ground, telling(ground))
  assert.equal(
    await waitsFor(
      event,
      ground.database.write(() => releasing(ground)),
    ),
    'moreDue',
  )
})

test('an event that is told while a sender goes to rest wakes it again', { skip: withoutPostgres }, async () => {
  await using ground = await eventGround('postgres')
  await ground.endpoint(ID, { claimed_by: 'node', due_at: NOW + 60_000 })
  const rest = await begun(ground, releasing(ground))
  assert.equal(rest.result, 'released')
  await waitsFor(
    rest,
    ground.database.write(() => telling(ground)),
  )
  const [endpoint] = await ground.endpoints()
  assert.deepEqual([endpoint?.claimed_by, endpoint?.due_at], [null, NOW])
})

test('an event that is being told is counted by the deletion of its endpoint', { skip: withoutPostgres }, async () => {
  await using ground = await eventGround('postgres')
  await ground.endpoint(ID)
  const event = await begun(ground, telling(ground))
  await waitsFor(
    event,
    ground.database.write(() => deleting(ground)),
  )
  assert.equal(await ground.database.read(countInList(ground.orgId, 'delivery')), 0)
})

test('an endpoint that is being deleted is told of nothing more', { skip: withoutPostgres }, async () => {
  await using ground = await eventGround('postgres')
  await ground.endpoint(ID)
  const deletion = await begun(ground, deleting(ground))
  await waitsFor(
    deletion,
    ground.database.write(() => telling(ground)),
  )
  assert.deepEqual(await ground.deliveries(), [])
  assert.equal(await ground.database.read(countInList(ground.orgId, 'delivery')), 0)
})

forEachEngine('an endpoint between events and its sender', (engine) => {
  test('is never left resting with something to send, however the two meet', async () => {
    await using ground = await eventGround(engine)
    const { database } = ground
    for (let round = 0; round < 60; round += 1) {
      const id = `we_${round}`
      await ground.endpoint(id, { claimed_by: 'node', due_at: NOW + 60_000 })
      const pauses = round % 2 === 0 ? [round / 10, 0] : [0, round / 10]
      const [, went] = await Promise.all([
        setTimeout(pauses[0] ?? 0).then(() => database.write(() => telling(ground))),
        setTimeout(pauses[1] ?? 0).then(() => database.write(() => releasing(ground, id))),
      ])
      const endpoint = (await ground.endpoints()).find((row) => row.id === id)
      if (went === 'released') assert.deepEqual([endpoint?.claimed_by, endpoint?.due_at], [null, NOW], `round ${round}`)
      else assert.deepEqual([went, endpoint?.claimed_by], ['moreDue', 'node'], `round ${round}`)
      await database.write(() => deleting(ground, id))
    }
  })
})
