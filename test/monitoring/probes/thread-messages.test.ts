import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobDecoder, JobEncoder, type ProbeJob } from '../../../src/monitoring/probes/thread-messages.ts'
import { targetOf } from '../monitor-types/target.ts'

/** Encodes and decodes a job. */
function startChannel() {
  const [encoder, decoder] = [new JobEncoder(), new JobDecoder()]
  let id = 0
  return (subject: ReturnType<typeof targetOf>) => {
    const text = encoder.encode(++id, 'PORT', subject)
    const job = JSON.parse(text) as ProbeJob
    assert.deepEqual(job.slice(0, 2), [id, 'PORT'])
    return { isSent: job.length === 4, decoded: decoder.targetOf(job) }
  }
}

test('a target is sent once, later only its slot', () => {
  const send = startChannel()
  const [one, other] = [targetOf({ host: 'one.example' }), targetOf({ host: 'other.example' })]
  assert.deepEqual(send(one), { isSent: true, decoded: one })
  assert.deepEqual(send(other), { isSent: true, decoded: other })
  assert.deepEqual(send(one), { isSent: false, decoded: one })
  assert.deepEqual(send(other), { isSent: false, decoded: other })
})

test('an equal but different object is another target', () => {
  const send = startChannel()
  send(targetOf({ host: 'one.example' }))
  assert.equal(send(targetOf({ host: 'one.example' })).isSent, true)
})

test('a long target is sent each time and takes no slot', () => {
  const send = startChannel()
  const [long, short] = [targetOf({ requestBody: 'x'.repeat(3_000) }), targetOf({ host: 'short.example' })]
  for (let i = 0; i < 3; i += 1) assert.deepEqual(send(long), { isSent: true, decoded: long })
  send(short)
  assert.deepEqual(send(long), { isSent: true, decoded: long })
  assert.deepEqual(send(short), { isSent: false, decoded: short })
})

test('when all slots are taken, the oldest target is replaced', () => {
  const send = startChannel()
  const all = Array.from({ length: 20_005 }, (_, port) => targetOf({ port }))
  for (const one of all) assert.equal(send(one).decoded.port, one.port)
  // The last five have replaced the first five.
  assert.equal(send(all[5] as never).isSent, false)
  assert.deepEqual(send(all[0] as never), { isSent: true, decoded: all[0] })
  assert.equal(send(all[5] as never).isSent, true, 'its slot went to the first one')
  for (const one of all.slice(-10)) assert.deepEqual(send(one), { isSent: false, decoded: one })
})
