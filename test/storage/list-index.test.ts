import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSeveralToList, addToList, countInList, removeFromList } from '../../src/storage/list-index.ts'
import { forEachEngine } from '../support/engines.ts'
import { migratedTestDatabase } from './test-database.ts'

forEachEngine('the list index', (engine) => {
  test('counts exactly during concurrent additions and removals, per organization', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    await database.write(() => addSeveralToList('org_other', 'monitor', 5))
    const added = await Promise.all(
      Array.from({ length: 60 }, () => database.write(() => addToList('org_a', 'monitor'))),
    )
    const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)
    assert.deepEqual(inOrder(added.map(({ seq }) => seq)), [...Array(60).keys()])
    assert.deepEqual(inOrder(added.map(({ live }) => live)), [...Array(61).keys()].slice(1))
    await Promise.all([
      ...added.slice(0, 30).map(() => database.write(() => removeFromList('org_a', 'monitor'))),
      ...added.slice(0, 10).map(() => database.write(() => addToList('org_a', 'monitor'))),
    ])
    assert.equal(await database.read(countInList('org_a', 'monitor')), 40)
    assert.equal(await database.read(countInList('org_other', 'monitor')), 5)
  })

  test('never reuses a number, even after everything was removed', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    await database.write(() => addSeveralToList('org', 'monitor', 3))
    await database.write(() => removeFromList('org', 'monitor', 3))
    assert.deepEqual(await database.write(() => addSeveralToList('org', 'monitor', 2)), [3, 4])
  })
})
