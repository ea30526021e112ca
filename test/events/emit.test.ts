import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emit } from '../../src/events/emit.ts'
import { type EventType, eventTypes } from '../../src/events/types.ts'
import { countInList } from '../../src/storage/list-index.ts'
import type { DbWork, Step } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { newEventFixture } from './fixtures.ts'

const NOW = Date.UTC(2026, 2, 2, 9, 31)

const emitEvent = (orgId: string, type: EventType = 'monitor.created', data = '{"id":"mon_1"}') =>
  emit({ orgId, type, data, now: NOW })

/** Runs work and records its steps. */
function* recorded<T>(work: DbWork<T>, steps: Step[]): DbWork<T> {
  let step = work.next()
  while (step.done !== true) {
    steps.push(step.value)
    step = work.next(yield step.value)
  }
  return step.value
}

forEachEngine('the recipients of an event', (engine) => {
  test('without a subscribed endpoint it runs one query, writes nothing and does not build the data', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    await fixture.endpoint('we_1', { event_types: '["monitor.deleted","incident.opened"]' })
    await fixture.endpoint('we_2', { enabled: 0 })
    const steps: Step[] = []
    const data = (): DbWork<string> => assert.fail('the data was built')
    await database.write(() => recorded(emit({ orgId, type: 'monitor.created', data, now: NOW }), steps))
    // The notice to watchers is a step without a query.
    assert.equal(steps.filter((step) => !('notices' in step)).length, 1)
    assert.deepEqual(await fixture.events(), [])
    assert.deepEqual(await fixture.deliveries(), [])
    assert.equal(await database.read(countInList(orgId, 'delivery')), 0)
  })

  test('it writes one event, with the bytes to send, and a due delivery for each subscribed endpoint', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    await fixture.endpoint('we_all')
    await fixture.endpoint('we_named', { event_types: '["incident.opened","monitor.created"]' })
    await fixture.endpoint('we_other', { event_types: '["monitor.updated"]' })
    await database.write(() => emitEvent(orgId))
    const [event, ...more] = await fixture.events()
    assert.deepEqual(more, [])
    assert.match(event?.id ?? '', /^evt_[0-9a-f]{32}$/)
    const timestamp = '2026-03-02T09:31:00.000Z'
    assert.equal(
      event?.body,
      `{"id":"${event?.id}","type":"monitor.created","timestamp":"${timestamp}","data":{"id":"mon_1"}}`,
    )
    const deliveries = await fixture.deliveries()
    assert.deepEqual(
      deliveries.map(({ id: _, seq, endpoint_id, event_id, status, next_attempt_at, attempt_count, manual }) => [
        seq,
        endpoint_id,
        event_id,
        status,
        next_attempt_at,
        attempt_count,
        manual,
      ]),
      [
        [0, 'we_all', event?.id, 'PENDING', NOW, 0, 0],
        [1, 'we_named', event?.id, 'PENDING', NOW, 0, 0],
      ],
    )
    assert.equal(await database.read(countInList(orgId, 'delivery')), 2)
    assert.deepEqual(
      (await fixture.endpoints()).map(({ id, due_at }) => [id, due_at]),
      [
        ['we_all', NOW],
        ['we_named', NOW],
        ['we_other', null],
      ],
    )
  })

  test('every type reaches the endpoints of the organization that subscribe to it or to all, and no others', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    const other = await fixture.organization()
    await fixture.endpoint('we_all')
    await fixture.endpoint('we_foreign', { org_id: other })
    for (const type of eventTypes) await fixture.endpoint(`we_${type}`, { event_types: JSON.stringify([type]) })
    for (const type of eventTypes) await database.write(() => emitEvent(orgId, type))
    const delivered = (await fixture.deliveries()).map(({ endpoint_id, event_type }) => [endpoint_id, event_type])
    const expected = eventTypes.flatMap((type) => [
      ['we_all', type],
      [`we_${type}`, type],
    ])
    assert.deepEqual(delivered, expected)
  })
})

forEachEngine('an event', (engine) => {
  test('an event is rolled back with its change', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    await fixture.endpoint('we_1')
    await assert.rejects(
      database.write(function* () {
        yield* emitEvent(orgId)
        throw new Error('the change failed')
      }),
    )
    assert.deepEqual(await fixture.events(), [])
    assert.deepEqual(await fixture.deliveries(), [])
    assert.equal(await database.read(countInList(orgId, 'delivery')), 0)
    assert.equal((await fixture.endpoints())[0]?.due_at, null)
  })

  test('an endpoint becomes due now unless it is due earlier or claimed', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    const cases = [
      { id: 'we_earlier', before: { due_at: NOW - 5 }, after: NOW - 5 },
      { id: 'we_later', before: { due_at: NOW + 5 }, after: NOW },
      { id: 'we_claimed', before: { due_at: NOW + 60_000, claimed_by: 'node' }, after: NOW + 60_000 },
      { id: 'we_idle', before: {}, after: NOW },
    ]
    for (const { id, before } of cases) await fixture.endpoint(id, before)
    await database.write(() => emitEvent(orgId))
    const due = new Map((await fixture.endpoints()).map(({ id, due_at }) => [id, due_at]))
    for (const { id, after } of cases) assert.equal(due.get(id), after, id)
  })

  test('concurrent events are numbered without gaps, and none is lost', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    await fixture.endpoint('we_1')
    await fixture.endpoint('we_2')
    await Promise.all(Array.from({ length: 40 }, () => database.write(() => emitEvent(orgId))))
    const deliveries = await fixture.deliveries()
    assert.deepEqual(
      deliveries.map(({ seq }) => seq),
      [...Array(80).keys()],
    )
    assert.equal((await fixture.events()).length, 40)
    assert.equal(await database.read(countInList(orgId, 'delivery')), 80)
  })
})
