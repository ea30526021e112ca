import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobDecoder, JobEncoder, type ProbeJob } from '../../../src/monitoring/probes/thread-messages.ts'
import { targetOf } from './target.ts'

/** Both sides, with the JSON that goes over between them. */
function meet() {
  const [here, there] = [new JobEncoder(), new JobDecoder()]
  let id = 0
  return (subject: ReturnType<typeof targetOf>) => {
    const text = here.encode(++id, 'PORT', subject)
    const job = JSON.parse(text) as ProbeJob
    assert.deepEqual(job.slice(0, 2), [id, 'PORT'])
    return { isShown: job.length === 4, seen: there.targetOf(job) }
  }
}

test('a target is shown once and known by its number from then on', () => {
  const send = meet()
  const [one, other] = [targetOf({ host: 'one.example' }), targetOf({ host: 'other.example' })]
  assert.deepEqual(send(one), { isShown: true, seen: one })
  assert.deepEqual(send(other), { isShown: true, seen: other })
  assert.deepEqual(send(one), { isShown: false, seen: one })
  assert.deepEqual(send(other), { isShown: false, seen: other })
})

test('a target that is made anew is another one, whatever is in it', () => {
  const send = meet()
  send(targetOf({ host: 'one.example' }))
  assert.equal(send(targetOf({ host: 'one.example' })).isShown, true)
})

test('a long one is shown each time and takes no number from the others', () => {
  const send = meet()
  const [long, short] = [targetOf({ requestBody: 'x'.repeat(3_000) }), targetOf({ host: 'short.example' })]
  for (let i = 0; i < 3; i += 1) assert.deepEqual(send(long), { isShown: true, seen: long })
  send(short)
  assert.deepEqual(send(long), { isShown: true, seen: long })
  assert.deepEqual(send(short), { isShown: false, seen: short })
})

test('when there are too many, the longest known makes room, and no number stands for the wrong one', () => {
  const send = meet()
  const all = Array.from({ length: 20_005 }, (_, port) => targetOf({ port }))
  for (const one of all) assert.equal(send(one).seen.port, one.port)
  // Those beyond the bound have taken the places of the first five.
  assert.equal(send(all[5] as never).isShown, false)
  assert.deepEqual(send(all[0] as never), { isShown: true, seen: all[0] })
  assert.equal(send(all[5] as never).isShown, true, 'whose place the first one took')
  for (const one of all.slice(-10)) assert.deepEqual(send(one), { isShown: false, seen: one })
})
