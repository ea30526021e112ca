import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places } from '../../src/lib/places.ts'

test('each thing has a place of its own, which another gets when it is gone', () => {
  const places = new Places<{ name: string }>()
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  assert.deepEqual([places.put(a), places.put(b)], [0, 1])
  assert.equal(places.size, 2)
  assert.equal(places.take(0), a)
  assert.equal(places.size, 1)
  assert.equal(places.put(c), 0)
  assert.equal(places.take(0), c)
  assert.equal(places.take(1), b)
  assert.equal(places.size, 0)
})

test('a place gives what stands there once, and one that nobody has gives nothing', () => {
  const places = new Places<{ name: string }>()
  const place = places.put({ name: 'a' })
  assert.equal(places.take(place)?.name, 'a')
  assert.equal(places.take(place), undefined)
  assert.equal(places.take(7), undefined)
  // Had one of these made its place free twice, two things would stand at it now.
  assert.notEqual(places.put({ name: 'b' }), places.put({ name: 'c' }))
  assert.equal(places.size, 2)
})

test('it tells where things stand that are so', () => {
  const places = new Places<{ name: string }>()
  for (const name of ['a', 'b', 'a', 'c']) places.put({ name })
  places.take(0)
  assert.deepEqual(
    places.where(({ name }) => name === 'a'),
    [2],
  )
  assert.deepEqual(
    places.where(() => true),
    [1, 2, 3],
  )
})

test('it takes no more room than were under way at once', () => {
  const places = new Places<object>()
  for (let round = 0; round < 1000; round += 1) {
    const taken = Array.from({ length: 5 }, () => places.put({}))
    assert.deepEqual(taken.toSorted(), [0, 1, 2, 3, 4])
    for (const place of taken) places.take(place)
  }
})
