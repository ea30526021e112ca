import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { OperationContext } from '../../src/contract/operation.ts'
import { emit, pruneEvents } from '../../src/events/emit.ts'
import { listWebhookDeliveries } from '../../src/notifications/webhooks/list-deliveries.ts'
import { pruneDeliveries, pruneTombstones } from '../../src/notifications/webhooks/prune.ts'
import { deleteWebhookEndpoint } from '../../src/notifications/webhooks/remove.ts'
import { countInList } from '../../src/storage/list-index.ts'
import { type DbWork, execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { bareInstallation } from '../support/installation.ts'
import { type EventFixture, newEventFixture } from './fixtures.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 1)

type Handled = { handle(call: OperationContext, input: object): DbWork<unknown> }

const call = (orgId: string): OperationContext =>
  ({ caller: { orgId }, now: NOW, installation: bareInstallation('') }) as unknown as OperationContext

const deletion = ({ orgId }: EventFixture, endpointId: string) =>
  (deleteWebhookEndpoint as unknown as Handled).handle(call(orgId), { params: { endpointId } })

const emitEvent = ({ orgId }: EventFixture, now: number) => emit({ orgId, type: 'monitor.created', data: '{}', now })

interface Listed {
  readonly data: readonly { readonly endpointId: string; readonly createdAt: string }[]
  readonly pagination: { readonly total: number }
}

/** All deliveries as the API lists them, page by page. */
async function listed({ database, orgId }: EventFixture): Promise<string[]> {
  const { handle } = listWebhookDeliveries as unknown as Handled
  const seen: string[] = []
  for (let offset = 0, total = 1; offset < total; offset += 7) {
    const page = (await database.read(handle(call(orgId), { query: { limit: 7, offset } }))) as Listed
    total = page.pagination.total
    seen.push(...page.data.map(({ endpointId, createdAt }) => `${endpointId} ${Date.parse(createdAt)}`))
  }
  return seen
}

async function pruneAll(fixture: EventFixture, now: number): Promise<void> {
  for (const step of [() => pruneDeliveries(now, 3), () => pruneTombstones(3), () => pruneEvents(now, 3)]) {
    while ((await fixture.database.write(step)) > 0);
  }
}

async function insertAttempt({ database, orgId }: EventFixture, deliveryId: string): Promise<void> {
  const row = { trigger_kind: 'SCHEDULED', started_at: 1, duration_ms: 1, outcome: 'FAILED' } as const
  const rest = { response_status: null, response_body: null, error: 'DNS' }
  await database.write(() =>
    execute(
      q
        .insertInto('webhook_attempts')
        .values({ org_id: orgId, delivery_id: deliveryId, number: 1, id: `att_${deliveryId}`, ...row, ...rest }),
    ),
  )
}

type Move =
  | { readonly emit: number }
  | { readonly remove: number }
  | { readonly prune: number }
  | { readonly age: number }

const move: fc.Arbitrary<Move> = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 6 }).map((count) => ({ emit: count })), weight: 5 },
  { arbitrary: fc.integer({ min: 0, max: 4 }).map((remove) => ({ remove })), weight: 1 },
  { arbitrary: fc.integer({ min: 1, max: 5 }).map((prune) => ({ prune })), weight: 3 },
  { arbitrary: fc.integer({ min: 1, max: 20 }).map((age) => ({ age })), weight: 2 },
)

forEachEngine('pruning', (engine) => {
  test('removes deliveries and attempts after 30 days and events after 31, in batches', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    await fixture.endpoint('we_1')
    await fixture.endpoint('we_2')
    for (let i = 0; i < 4; i += 1) await database.write(() => emitEvent(fixture, NOW))
    await database.write(() => emitEvent(fixture, NOW + 1))
    for (const { id } of await fixture.deliveries()) await insertAttempt(fixture, id)
    const after = (ms: number) => database.write(() => pruneDeliveries(NOW + 30 * DAY_MS + ms, 3))
    assert.equal(await after(0), 0)
    assert.equal(await after(1), 3, 'the oldest three, of both endpoints')
    await pruneAll(fixture, NOW + 30 * DAY_MS + 1)
    assert.deepEqual(await listed(fixture), [`we_2 ${NOW + 1}`, `we_1 ${NOW + 1}`])
    assert.equal((await fixture.events()).length, 5)
    await pruneAll(fixture, NOW + 31 * DAY_MS)
    assert.deepEqual(await fixture.deliveries(), [])
    assert.equal(await database.read(countInList(orgId, 'delivery')), 0)
    assert.deepEqual(await database.read(execute(q.selectFrom('webhook_attempts').selectAll())), [])
    assert.equal((await fixture.events()).length, 1)
    await pruneAll(fixture, NOW + 31 * DAY_MS + 1)
    assert.deepEqual(await fixture.events(), [])
  })

  test('of a deleted endpoint happens in batches; the list omits its deliveries at once', async () => {
    await using fixture = await newEventFixture(engine)
    const { database } = fixture
    await fixture.endpoint('we_1')
    await fixture.endpoint('we_2')
    for (let i = 0; i < 10; i += 1) await database.write(() => emitEvent(fixture, NOW + i))
    for (const { id } of await fixture.deliveries()) await insertAttempt(fixture, id)
    await database.write(() => deletion(fixture, 'we_1'))
    const left = Array.from({ length: 10 }, (_, i) => `we_2 ${NOW + 9 - i}`)
    assert.deepEqual(await listed(fixture), left)
    assert.equal(await database.write(() => pruneTombstones(4)), 4)
    assert.deepEqual(await listed(fixture), left)
    await pruneAll(fixture, NOW)
    assert.deepEqual(await listed(fixture), left)
    assert.equal((await fixture.deliveries()).length, 10)
    assert.equal((await database.read(execute(q.selectFrom('webhook_attempts').selectAll()))).length, 10)
    assert.deepEqual(await database.read(execute(q.selectFrom('webhook_tombstones').selectAll())), [])
  })
})

forEachEngine('pruning and deletions', (engine) => {
  test('list and total match a model after any events, deletions and pruning', async () => {
    const property = fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
      await using fixture = await newEventFixture(engine)
      const { database } = fixture
      let list: { endpoint: string; at: number }[] = []
      let endpoints: string[] = []
      let now = NOW
      for (const id of ['we_0', 'we_1', 'we_2', 'we_3', 'we_4']) {
        await fixture.endpoint(id)
        endpoints.push(id)
      }
      for (const one of moves) {
        if ('age' in one) now += one.age * DAY_MS
        else if ('emit' in one) {
          for (let i = 0; i < one.emit; i += 1) {
            now += 1
            await database.write(() => emitEvent(fixture, now))
            for (const endpoint of endpoints) list.push({ endpoint, at: now })
          }
        } else if ('remove' in one) {
          const id = `we_${one.remove}`
          if (!endpoints.includes(id)) continue
          await database.write(() => deletion(fixture, id))
          endpoints = endpoints.filter((endpoint) => endpoint !== id)
          list = list.filter(({ endpoint }) => endpoint !== id)
        } else {
          await database.write(() => pruneTombstones(one.prune))
          const before = new Set(await listed(fixture))
          await database.write(() => pruneDeliveries(now, one.prune))
          const gone = before.difference(new Set(await listed(fixture)))
          assert.ok(gone.size <= one.prune)
          for (const key of gone)
            assert.ok(Number(key.split(' ')[1]) < now - 30 * DAY_MS, `${key} was deleted too early`)
          list = list.filter(({ endpoint, at }) => !gone.has(`${endpoint} ${at}`))
        }
        assert.deepEqual(
          await listed(fixture),
          list.toReversed().map(({ endpoint, at }) => `${endpoint} ${at}`),
        )
      }
      await pruneAll(fixture, now + 40 * DAY_MS)
      assert.deepEqual([await listed(fixture), await fixture.deliveries(), await fixture.events()], [[], [], []])
    })
    await fc.assert(property, { numRuns: engine === 'sqlite' ? 25 : 5, seed: 11 })
  })
})

forEachEngine('pruning at the same time', (engine) => {
  test('keeps exact counts during concurrent events, deletions and pruning by two nodes', async () => {
    await using fixture = await newEventFixture(engine)
    const { database, orgId } = fixture
    const second = engine === 'postgres' ? await fixture.open() : database
    const ids = Array.from({ length: 12 }, (_, i) => `we_${i + 10}`)
    for (const id of ids) await fixture.endpoint(id)
    for (let i = 0; i < 10; i += 1) await database.write(() => emitEvent(fixture, NOW))
    const now = NOW + 31 * DAY_MS
    const prune = async (node: typeof database) => {
      for (let i = 0; i < 30; i += 1) {
        await node.write(() => pruneDeliveries(now, 5))
        await node.write(() => pruneTombstones(5))
      }
    }
    const emitMany = async () => {
      for (let i = 0; i < 25; i += 1) await database.write(() => emitEvent(fixture, now))
    }
    const remove = async () => {
      for (const id of ids.slice(0, 8)) await database.write(() => deletion(fixture, id))
    }
    await Promise.all([prune(database), prune(second), emitMany(), emitMany(), remove()])
    await pruneAll(fixture, now)
    const left = await fixture.deliveries()
    assert.deepEqual([...new Set(left.map(({ endpoint_id: id }) => id))].sort(), ids.slice(8))
    assert.equal(left.length, 4 * 50)
    assert.equal(await database.read(countInList(orgId, 'delivery')), left.length)
    assert.equal((await listed(fixture)).length, left.length)
  })
})
