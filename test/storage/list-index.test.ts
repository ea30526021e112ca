import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../src/storage/database.ts'
import {
  addSeveralToList,
  addToList,
  countInList,
  removeFromList,
  removeSeveralFromList,
  seekInList,
} from '../../src/storage/list-index.ts'
import type { DbWork } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { migratedTestDatabase } from './test-database.ts'

const BLOCK = 1024

type Step =
  | { readonly add: number }
  /** Removes consecutive resources, starting at a fraction `from` of the list. */
  | { readonly remove: number; readonly from: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.constantFrom(1, 7, 600, BLOCK, BLOCK + 1).map((count) => ({ add: count })), weight: 3 },
  {
    arbitrary: fc.record({
      remove: fc.constantFrom(1, 5, 300, BLOCK, 2 * BLOCK),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    weight: 2,
  },
)

/** Adds one by one or all at once, depending on the count. */
function* addMany(org: string, count: number): DbWork<number[]> {
  if (count % 2 === 0) return [...(yield* addSeveralToList(org, 'monitor', count))]
  const seqs: number[] = []
  for (let i = 0; i < count; i += 1) seqs.push((yield* addToList(org, 'monitor')).seq)
  return seqs
}

function* removeMany(org: string, seqs: readonly number[]): DbWork<void> {
  if (seqs.length % 2 === 0) yield* removeSeveralFromList(org, 'monitor', seqs)
  else for (const seq of seqs) yield* removeFromList(org, 'monitor', seq)
}

/** Asserts that count and pages at any offset match the model. */
async function assertMatches(
  database: Database,
  org: string,
  list: readonly number[],
  offsets: readonly number[],
): Promise<void> {
  assert.equal(await database.read(countInList(org, 'monitor')), list.length)
  const edges = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, list.length - 1, list.length, list.length + 5]
  for (const offset of [...edges, ...offsets.map((share) => Math.floor(share * list.length))]) {
    if (offset < 0) continue
    const { fromSeq, skip } = await database.read(seekInList(org, 'monitor', offset))
    const page = list.filter((seq) => seq >= fromSeq).slice(skip, skip + 3)
    assert.deepEqual(page, list.slice(offset, offset + 3), `offset ${offset} of ${list.length}`)
    assert.ok(skip < 2 * BLOCK, 'skips at most two blocks')
  }
}

forEachEngine('the list index', (engine) => {
  test('matches a model after any additions and removals in more than three blocks', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    let orgs = 0
    const scenario = fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 }),
    )
    const property = fc.asyncProperty(scenario, async ([steps, offsets]) => {
      const org = `org_${++orgs}`
      const list = await database.write(() => addMany(org, 3 * BLOCK + 100))
      await assertMatches(database, org, list, offsets)
      for (const one of steps) {
        if ('add' in one) list.push(...(await database.write(() => addMany(org, one.add))))
        else {
          const removed = list.splice(Math.floor(one.from * list.length), one.remove)
          await database.write(() => removeMany(org, removed))
        }
        await assertMatches(database, org, list, offsets)
      }
    })
    await fc.assert(property, { numRuns: engine === 'sqlite' ? 12 : 3, seed: 7 })
  })

  test('counts exactly during concurrent additions and removals, per organization', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const other = await database.write(() => addMany('org_other', 5))
    const seqs = await Promise.all(
      Array.from({ length: 60 }, () => database.write(() => addToList('org_a', 'monitor'))),
    )
    assert.deepEqual(
      seqs.map(({ seq }) => seq).toSorted((a, b) => a - b),
      [...Array(60).keys()],
    )
    assert.deepEqual(
      seqs.map(({ live }) => live).toSorted((a, b) => a - b),
      [...Array(61).keys()].slice(1),
    )
    await Promise.all([
      ...seqs.slice(0, 30).map(({ seq }) => database.write(() => removeFromList('org_a', 'monitor', seq))),
      ...seqs.slice(0, 10).map(() => database.write(() => addToList('org_a', 'monitor'))),
    ])
    assert.equal(await database.read(countInList('org_a', 'monitor')), 40)
    await assertMatches(database, 'org_other', other, [])
  })

  test('never reuses a number, even after everything was removed', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const first = await database.write(() => addMany('org', 3))
    await database.write(() => removeMany('org', first))
    assert.deepEqual(await database.write(() => addMany('org', 2)), [3, 4])
    await assertMatches(database, 'org', [3, 4], [])
  })
})
