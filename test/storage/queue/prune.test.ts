import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruning } from '../../../src/storage/queue/prune.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { connectTo } from '../../support/postgres.ts'
import { idOf, NOW, newQueueDatabase } from './fixtures.ts'

const notices = { table: 'deliveries', key: ['id'], by: 'created_at' } as const
const prune = pruning(notices)

forEachEngine('pruning', (engine) => {
  test('the oldest rows are deleted, no more of them per call than asked for', async () => {
    await using base = await newQueueDatabase(engine, 10)
    const until = NOW - 1_000 + 6
    const left = async () => (await base.rows()).map(({ id }) => id)
    assert.equal(await base.database.write(() => prune(until, 4)), 4)
    assert.deepEqual(await left(), [4, 5, 6, 7, 8, 9].map(idOf))
    assert.equal(await base.database.write(() => prune(until, 4)), 3)
    assert.deepEqual(await left(), [7, 8, 9].map(idOf))
    assert.equal(await base.database.write(() => prune(until, 4)), 0)
  })

  test('a filter keeps rows, whatever their age', async () => {
    await using base = await newQueueDatabase(engine, 4)
    const pruneEven = pruning({ ...notices, filter: (is) => is('attempts', 'in', [0, 2]) })
    assert.equal(await base.database.write(() => pruneEven(NOW, 10)), 2)
    assert.deepEqual(
      (await base.rows()).map(({ id }) => id),
      [idOf(1), idOf(3)],
    )
  })
})

test('pruning does not wait for rows that are locked', { skip: withoutPostgres }, async () => {
  await using base = await newQueueDatabase('postgres', 3)
  await using client = await connectTo(base.url)
  await client.query('begin')
  await client.query('select 1 from deliveries where id = $1 for update', [idOf(0)])
  assert.equal(await base.database.write(() => prune(NOW, 10)), 2)
})
