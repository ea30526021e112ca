import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emit } from '../../src/events/emit.ts'
import { type EventType, eventTypes } from '../../src/events/types.ts'
import type { Engine } from '../../src/storage/database.ts'
import { countInList } from '../../src/storage/list-index.ts'
import type { DbWork, Step } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventGround } from './fixtures.ts'

const NOW = Date.UTC(2026, 2, 2, 9, 31)

const telling = (orgId: string, type: EventType = 'monitor.created', data = '{"id":"mon_1"}') =>
  emit({ orgId, type, data, now: NOW })

/** The same work, with the steps that it asks for counted. */
function* counted<T>(work: DbWork<T>, steps: Step[]): DbWork<T> {
  let turn = work.next()
  while (turn.done !== true) {
    steps.push(turn.value)
    turn = work.next(yield turn.value)
  }
  return turn.value
}

forEachEngine('emit', (engine) => {
  whoIsTold(engine)
  howItIsWritten(engine)
})

function whoIsTold(engine: Engine): void {
  test('where nobody wants to hear of it one look is taken, nothing is written, and the data is not made', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    await ground.endpoint('we_1', { event_types: '["monitor.deleted","incident.opened"]' })
    await ground.endpoint('we_2', { enabled: 0 })
    const steps: Step[] = []
    const data = (): DbWork<string> => assert.fail('the data was made')
    await database.write(() => counted(emit({ orgId, type: 'monitor.created', data, now: NOW }), steps))
    // The notice to watchers is a step without a query.
    assert.equal(steps.filter((step) => !('notices' in step)).length, 1)
    assert.deepEqual(await ground.events(), [])
    assert.deepEqual(await ground.deliveries(), [])
    assert.equal(await database.read(countInList(orgId, 'delivery')), 0)
  })

  test('one event is written, with the bytes to be sent, and a delivery due now for everybody who wants it', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    await ground.endpoint('we_all')
    await ground.endpoint('we_named', { event_types: '["incident.opened","monitor.created"]' })
    await ground.endpoint('we_other', { event_types: '["monitor.updated"]' })
    await database.write(() => telling(orgId))
    const [event, ...more] = await ground.events()
    assert.deepEqual(more, [])
    assert.match(event?.id ?? '', /^evt_[0-9a-f]{32}$/)
    const timestamp = '2026-03-02T09:31:00.000Z'
    assert.equal(
      event?.body,
      `{"id":"${event?.id}","type":"monitor.created","timestamp":"${timestamp}","data":{"id":"mon_1"}}`,
    )
    const deliveries = await ground.deliveries()
    assert.deepEqual(
      deliveries.map(({ id: _, seq, endpoint_id, event_id, status, next_attempt_at, attempt_count, manual }) => [
        ...[seq, endpoint_id, event_id, status, next_attempt_at, attempt_count, manual],
      ]),
      [
        [0, 'we_all', event?.id, 'PENDING', NOW, 0, 0],
        [1, 'we_named', event?.id, 'PENDING', NOW, 0, 0],
      ],
    )
    assert.equal(await database.read(countInList(orgId, 'delivery')), 2)
    assert.deepEqual(
      (await ground.endpoints()).map(({ id, due_at }) => [id, due_at]),
      [
        ['we_all', NOW],
        ['we_named', NOW],
        ['we_other', null],
      ],
    )
  })

  test('every type reaches those who named it or everything, and nobody else, of this organization alone', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    const other = await ground.organization()
    await ground.endpoint('we_all')
    await ground.endpoint('we_foreign', { org_id: other })
    for (const type of eventTypes) await ground.endpoint(`we_${type}`, { event_types: JSON.stringify([type]) })
    for (const type of eventTypes) await database.write(() => telling(orgId, type))
    const told = (await ground.deliveries()).map(({ endpoint_id, event_type }) => [endpoint_id, event_type])
    const expected = eventTypes.flatMap((type) => [
      ['we_all', type],
      [`we_${type}`, type],
    ])
    assert.deepEqual(told, expected)
  })
}

function howItIsWritten(engine: Engine): void {
  test('data that is made on demand is made once, in the same transaction', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    await ground.endpoint('we_1')
    await ground.endpoint('we_2')
    let made = 0
    function* data(): DbWork<string> {
      made += 1
      return JSON.stringify({ endpoints: yield* countInList(orgId, 'endpoint') })
    }
    await database.write(() => emit({ orgId, type: 'monitor.created', data, now: NOW }))
    assert.equal(made, 1)
    assert.deepEqual(JSON.parse((await ground.events())[0]?.body ?? '').data, { endpoints: 2 })
  })

  test('what fails is told to nobody: the event goes with the change', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    await ground.endpoint('we_1')
    await assert.rejects(
      database.write(function* () {
        yield* telling(orgId)
        throw new Error('the change failed')
      }),
    )
    assert.deepEqual(await ground.events(), [])
    assert.deepEqual(await ground.deliveries(), [])
    assert.equal(await database.read(countInList(orgId, 'delivery')), 0)
    assert.equal((await ground.endpoints())[0]?.due_at, null)
  })

  test('an endpoint is due at the earlier of what it was and now, and a claim on it is left as it is', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    const cases = [
      { id: 'we_earlier', before: { due_at: NOW - 5 }, after: NOW - 5 },
      { id: 'we_later', before: { due_at: NOW + 5 }, after: NOW },
      { id: 'we_claimed', before: { due_at: NOW + 60_000, claimed_by: 'node' }, after: NOW + 60_000 },
      { id: 'we_resting', before: {}, after: NOW },
    ]
    for (const { id, before } of cases) await ground.endpoint(id, before)
    await database.write(() => telling(orgId))
    const due = new Map((await ground.endpoints()).map(({ id, due_at }) => [id, due_at]))
    for (const { id, after } of cases) assert.equal(due.get(id), after, id)
  })

  test('many at once are numbered without a gap, and none is lost', async () => {
    await using ground = await eventGround(engine)
    const { database, orgId } = ground
    await ground.endpoint('we_1')
    await ground.endpoint('we_2')
    await Promise.all(Array.from({ length: 40 }, () => database.write(() => telling(orgId))))
    const deliveries = await ground.deliveries()
    assert.deepEqual(
      deliveries.map(({ seq }) => seq),
      [...Array(80).keys()],
    )
    assert.equal((await ground.events()).length, 40)
    assert.equal(await database.read(countInList(orgId, 'delivery')), 80)
  })
}
