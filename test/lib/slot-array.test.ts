import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlotArray } from '../../src/lib/slot-array.ts'

test('each thing has a place of its own, which another gets when it is gone', () => {
  const places = new SlotArray<{ name: string }>()
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  assert.deepEqual([places.add(a), places.add(b)], [0, 1])
  assert.equal(places.size, 2)
  assert.equal(places.remove(0), a)
  assert.equal(places.size, 1)
  assert.equal(places.add(c), 0)
  assert.equal(places.remove(0), c)
  assert.equal(places.remove(1), b)
  assert.equal(places.size, 0)
})

test('a place gives what stands there once, and one that nobody has gives nothing', () => {
  const places = new SlotArray<{ name: string }>()
  const place = places.add({ name: 'a' })
  assert.equal(places.remove(place)?.name, 'a')
  assert.equal(places.remove(place), undefined)
  assert.equal(places.remove(7), undefined)
  // Had one of these made its place free twice, two things would stand at it now.
  assert.notEqual(places.add({ name: 'b' }), places.add({ name: 'c' }))
  assert.equal(places.size, 2)
})

test('it tells where things stand that are so', () => {
  const places = new SlotArray<{ name: string }>()
  for (const name of ['a', 'b', 'a', 'c']) places.add({ name })
  places.remove(0)
  assert.deepEqual(
    places.indexesWhere(({ name }) => name === 'a'),
    [2],
  )
  assert.deepEqual(
    places.indexesWhere(() => true),
    [1, 2, 3],
  )
})

test('it takes no more room than were under way at once', () => {
  const places = new SlotArray<object>()
  for (let round = 0; round < 1000; round += 1) {
    const taken = Array.from({ length: 5 }, () => places.add({}))
    assert.deepEqual(taken.toSorted(), [0, 1, 2, 3, 4])
    for (const place of taken) places.remove(place)
  }
})
