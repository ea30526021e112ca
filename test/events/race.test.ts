import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { OperationContext } from '../../src/contract/operation.ts'
import { emit } from '../../src/events/emit.ts'
import type { EndpointClaim } from '../../src/notifications/webhooks/endpoint-queue.ts'
import { deleteWebhookEndpoint } from '../../src/notifications/webhooks/remove.ts'
import { settle } from '../../src/notifications/webhooks/settle.ts'
import { countInList } from '../../src/storage/list-index.ts'
import { runWork } from '../../src/storage/postgres/run.ts'
import { type DbWork, execute } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo } from '../support/postgres.ts'
import { type EventFixture, newEventFixture } from './fixtures.ts'

const NOW = 1_000_000
const ID = 'we_1'

const emitEvent = ({ orgId }: EventFixture) => emit({ orgId, type: 'monitor.created', data: '{}', now: NOW })

/** Releases a claim that has sent nothing. */
function release({ orgId }: EventFixture, id = ID) {
  const claim = { org_id: orgId, id, node: 'node', until: NOW + 60_000 } as EndpointClaim
  return settle(
    { claim, url: '', records: [], postponed: [], pausedUntil: 0, faultUntil: 0, keepUntil: 0 },
    NOW,
    function* () {},
  )
}

function remove({ orgId }: EventFixture, endpointId = ID): DbWork<unknown> {
  const { handle } = deleteWebhookEndpoint as unknown as {
    handle(call: OperationContext, input: object): DbWork<unknown>
  }
  return handle({ caller: { orgId } } as OperationContext, { params: { endpointId } })
}

/** Runs `work` in a transaction that stays open until the second one, with `other`, waits for a lock of it. */
async function whileOpen(fixture: EventFixture, work: DbWork<unknown>, other: () => DbWork<unknown>): Promise<void> {
  await using client = await connectTo(fixture.url)
  await client.query('begin')
  await runWork(client, work)
  const writing = fixture.database.write(other)
  const waiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => assert.equal((await fixture.database.read(execute(waiting)))[0]?.n, 1))
  await client.query('commit')
  await writing
}

async function expectDue(fixture: EventFixture, id = ID): Promise<void> {
  const endpoint = (await fixture.endpoints()).find((row) => row.id === id)
  assert.deepEqual([endpoint?.claimed_by, endpoint?.due_at], [null, NOW], id)
}

test('a sender that releases an endpoint sees an event that is not yet committed', {
  skip: withoutPostgres,
}, async () => {
  await using fixture = await newEventFixture('postgres')
  await fixture.endpoint(ID, { claimed_by: 'node', due_at: NOW + 60_000 })
  await whileOpen(fixture, emitEvent(fixture), () => release(fixture))
  await expectDue(fixture)
})

test('an event emitted during a release makes the endpoint due', { skip: withoutPostgres }, async () => {
  await using fixture = await newEventFixture('postgres')
  await fixture.endpoint(ID, { claimed_by: 'node', due_at: NOW + 60_000 })
  await whileOpen(fixture, release(fixture), () => emitEvent(fixture))
  await expectDue(fixture)
})

test('the deletion of an endpoint counts an event that is not yet committed', { skip: withoutPostgres }, async () => {
  await using fixture = await newEventFixture('postgres')
  await fixture.endpoint(ID)
  await whileOpen(fixture, emitEvent(fixture), () => remove(fixture))
  assert.equal(await fixture.database.read(countInList(fixture.orgId, 'delivery')), 0)
})

test('no delivery is written for an endpoint that is being deleted', { skip: withoutPostgres }, async () => {
  await using fixture = await newEventFixture('postgres')
  await fixture.endpoint(ID)
  await whileOpen(fixture, remove(fixture), () => emitEvent(fixture))
  assert.deepEqual(await fixture.deliveries(), [])
  assert.equal(await fixture.database.read(countInList(fixture.orgId, 'delivery')), 0)
})

forEachEngine('an endpoint with concurrent events and releases', (engine) => {
  test('is never left idle with a pending delivery', async () => {
    await using fixture = await newEventFixture(engine)
    const { database } = fixture
    for (let round = 0; round < 60; round += 1) {
      const id = `we_${round}`
      await fixture.endpoint(id, { claimed_by: 'node', due_at: NOW + 60_000 })
      const pauses = round % 2 === 0 ? [round / 10, 0] : [0, round / 10]
      await Promise.all([
        setTimeout(pauses[0] ?? 0).then(() => database.write(() => emitEvent(fixture))),
        setTimeout(pauses[1] ?? 0).then(() => database.write(() => release(fixture, id))),
      ])
      await expectDue(fixture, id)
      await database.write(() => remove(fixture, id))
    }
  })
})
