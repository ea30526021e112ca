import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, type Breaker, closed, isSuspect } from '../../../src/notifications/webhooks/breaker.ts'
import { Breakers } from '../../../src/notifications/webhooks/breakers.ts'
import { type Kind, Slots } from '../../../src/notifications/webhooks/slots.ts'

const missed = (times: number, now = 0): Breaker => {
  let breaker = closed
  for (let i = 0; i < times; i += 1) breaker = after(breaker, 'missed', now)
  return breaker
}

test('a few misses in a row make a receiver suspect, and any answer clears it', () => {
  assert.ok(!isSuspect(missed(3)))
  assert.equal(missed(3).restUntil, 0)
  assert.ok(isSuspect(missed(4)))
  assert.deepEqual(after(missed(20), 'answered', 0), closed)
})

test('a suspect is left alone for longer and longer, half a minute at most', () => {
  const rests = [4, 5, 6, 7, 8, 9, 10, 1000].map((times) => missed(times, 500).restUntil - 500)
  assert.deepEqual(rests, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('receivers are remembered apart, and only while they are in trouble', () => {
  const breakers = new Breakers()
  for (let i = 0; i < 4; i += 1) breakers.note('a', 'missed', 100)
  assert.deepEqual(breakers.of('a'), { isSuspect: true, restUntil: 1100 })
  assert.deepEqual(breakers.of('b'), { isSuspect: false, restUntil: 0 })
  breakers.note('a', 'answered', 200)
  assert.deepEqual(breakers.of('a'), { isSuspect: false, restUntil: 0 })
})

test('there is a place for an endpoint with nothing under way, whatever busy and silent ones take', () => {
  const slots = new Slots(40)
  const nobody = { retry: () => {} }
  const takeAll = (kind: Kind): number => {
    let taken = 0
    while (slots.take(kind, nobody)) taken += 1
    return taken
  }
  assert.equal(takeAll('extra'), 20)
  assert.equal(takeAll('suspect'), 10)
  assert.equal(takeAll('first'), 10)
  assert.equal(slots.taken, 40)
})

test('whoever waits for a place is told in turn when one becomes free', () => {
  const slots = new Slots(4)
  const told: string[] = []
  const waiter = (name: string) => ({ retry: () => void told.push(name) })
  for (let i = 0; i < 4; i += 1) assert.ok(slots.take('first', waiter('nobody')))
  for (const name of ['a', 'b', 'c']) assert.ok(!slots.take('first', waiter(name)))
  slots.give('first')
  assert.deepEqual(told, ['a'])
  slots.take('first', waiter('nobody'))
  slots.give('first')
  assert.deepEqual(told, ['a', 'b'])
})
