import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueQueues } from '../../../src/monitoring/checks/due-queues.ts'
import { CheckPlaces, takeInTurns } from '../../../src/monitoring/checks/places.ts'
import { Dice } from '../../support/dice.ts'

/** Takes as many places as each organization gets, in this order, and returns how many. */
function fill(places: CheckPlaces, ...orgIds: readonly string[]): number[] {
  return orgIds.map((orgId) => {
    let taken = 0
    for (; places.isOpenTo(orgId); taken += 1) places.take(orgId)
    return taken
  })
}

const items = (orgId: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ orgId, dueAt: from + i, position: -1 }))

test('one organization gets half of the places, and further ones find free places', () => {
  const places = new CheckPlaces(2_000)
  assert.deepEqual(fill(places, 'a', 'b', 'c'), [1_000, 500, 250])
  assert.deepEqual(places.atLimit(), ['a', 'b', 'c'])
  assert.deepEqual(places.largest(), { orgId: 'a', held: 1_000 })
})

test('places that become free go to the organization that holds fewer', () => {
  const places = new CheckPlaces(30)
  assert.deepEqual(fill(places, 'a', 'b'), [15, 8])
  for (let i = 0; i < 3; i += 1) places.giveBack('a')
  assert.deepEqual(fill(places, 'a', 'b'), [0, 1], 'the second one holds 9, and 9 are free')
})

test('the only organization gets all places', () => {
  const places = new CheckPlaces(10)
  places.share(false)
  assert.deepEqual(fill(places, 'a'), [10])
  assert.deepEqual(places.atLimit(), ['a'])
  places.share(true)
  for (let i = 0; i < 4; i += 1) places.giveBack('a')
  assert.deepEqual(fill(places, 'a', 'b'), [0, 2], 'as soon as there is another one, it takes no further ones')
})

test('due checks are taken in turns of the organizations', () => {
  const queues = new DueQueues<ReturnType<typeof items>[number]>()
  for (const item of [...items('a', 100), ...items('b', 2, 1), ...items('c', 3, 2)]) queues.put(item)
  const places = new CheckPlaces(16)
  const taken = queues.takeDue(1_000, 500, places).map(({ orgId }) => orgId)
  assert.deepEqual(taken.slice(0, 8).join(''), 'abcabcac')
  assert.equal(taken.filter((orgId) => orgId === 'a').length, 6, 'then 5 places are free')
  for (const orgId of taken) places.take(orgId)
  assert.deepEqual(queues.takeDue(1_000, 500, places), [])
  assert.equal(queues.countDue(1_000), 94)
})

test('an organization at its limit does not hide the due checks of others', () => {
  const queues = new DueQueues<ReturnType<typeof items>[number]>()
  for (const item of items('a', 5_000)) queues.put(item)
  queues.put({ orgId: 'b', dueAt: 9_000, position: -1 })
  const places = new CheckPlaces(4)
  fill(places, 'a')
  assert.deepEqual(queues.takeDue(8_999, 1, places), [])
  assert.deepEqual(
    queues.takeDue(9_000, 1, places).map(({ orgId }) => orgId),
    ['b'],
  )
})

test('after any additions, moves and removals each due item is taken once, the oldest of an organization first', () => {
  const dice = new Dice(7)
  const queues = new DueQueues<ReturnType<typeof items>[number]>()
  const all = ['a', 'b', 'c'].flatMap((orgId) => items(orgId, 40))
  const expected = new Set<(typeof all)[number]>()
  const places = new CheckPlaces(Number.POSITIVE_INFINITY)
  for (let step = 0; step < 3_000; step += 1) {
    const item = dice.pick(all)
    if (dice.chance(0.8)) {
      item.dueAt = dice.between(0, 1_000)
      queues.put(item)
      expected.add(item)
    } else {
      queues.remove(item)
      expected.delete(item)
    }
    if (!dice.chance(0.05)) continue
    const now = dice.between(0, 1_000)
    const due = [...expected].filter(({ dueAt }) => dueAt <= now)
    assert.equal(queues.countDue(now), due.length)
    const taken = queues.takeDue(now, dice.between(1, 60), places)
    for (const orgId of ['a', 'b', 'c']) {
      const times = taken.filter((one) => one.orgId === orgId).map(({ dueAt }) => dueAt)
      const oldest = due.filter((one) => one.orgId === orgId).map(({ dueAt }) => dueAt)
      assert.deepEqual(times, oldest.toSorted((x, y) => x - y).slice(0, times.length))
    }
    for (const one of taken) assert.ok(expected.delete(one))
  }
})

test('a limit ends the turns in the middle of a round', () => {
  const queues = ['a', 'b', 'c'].map((orgId) => ({ orgId, due: [1, 2, 3] }))
  const taken = takeInTurns(queues, 4, new CheckPlaces(100), ({ orgId, due }, round) => {
    const found = due[round]
    return found === undefined ? undefined : `${orgId}${found}`
  })
  assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2'])
})
