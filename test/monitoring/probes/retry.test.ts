import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProbeTarget, Sample } from '../../../src/contract/probe.ts'
import { nextRetry, probeWithRetries } from '../../../src/monitoring/probes/retry.ts'

const target = { url: 'http://shop.example/', timeoutMs: 30_000 } as ProbeTarget
const up: Sample = { outcome: 'success', responseMs: 12 }
const doubt: Sample = { outcome: 'inconclusive', reason: 'out of sockets' }
const refused: Sample = { outcome: 'failure', code: 'CONNECT', error: 'refused', kind: 'connection' }
const wrong: Sample = { outcome: 'failure', code: 'STATUS', error: 'got 503', kind: 'content' }

/** Looks that bring these samples home one after the other, and what was asked for on the way. */
async function confirming(samples: readonly Sample[], delaysSeconds: readonly number[] = [1, 3], at = target) {
  const timeouts: number[] = []
  const pauses: number[] = []
  const sample = await probeWithRetries(
    {
      delaysSeconds,
      async probe({ timeoutMs }) {
        timeouts.push(timeoutMs)
        return samples[timeouts.length - 1] as Sample
      },
      async pause(ms) {
        pauses.push(ms)
      },
    },
    at,
    new AbortController().signal,
  )
  return { sample, timeouts, pauses }
}

test('a success is believed at once', async () => {
  assert.deepEqual(await confirming([up]), { sample: up, timeouts: [30_000], pauses: [] })
})

test('a lost connection is looked at twice more, after 1 s and 3 s, within 10 s each', async () => {
  const { sample, timeouts, pauses } = await confirming([refused, refused, refused])
  assert.equal(sample, refused)
  assert.deepEqual(timeouts, [30_000, 10_000, 10_000])
  assert.deepEqual(pauses, [1_000, 3_000])
})

test('wrong content is looked at once more', async () => {
  assert.deepEqual(await confirming([wrong, wrong]), { sample: wrong, timeouts: [30_000, 10_000], pauses: [1_000] })
})

test('a repeat takes no longer than the monitor allows', async () => {
  const { timeouts } = await confirming([refused, refused, refused], [1, 3], { ...target, timeoutMs: 2_000 })
  assert.deepEqual(timeouts, [2_000, 2_000, 2_000])
})

test('a success or a doubt on the way ends the tries, and it is the last word', async () => {
  assert.equal((await confirming([refused, up])).sample, up)
  assert.equal((await confirming([wrong, up])).sample, up)
  assert.equal((await confirming([refused, refused, up])).sample, up)
  assert.equal((await confirming([refused, doubt])).sample, doubt)
})

test('a fault that changes its kind on the way is repeated as often as its present kind allows', async () => {
  // Content at the second try: its one repeat is used up.
  assert.equal((await confirming([refused, wrong, up])).sample, wrong)
  // A connection lost at the second try: there is one more.
  assert.equal((await confirming([wrong, refused, up])).sample, up)
})

test('an operator who wants no repeats gets none', async () => {
  assert.deepEqual(await confirming([refused], []), { sample: refused, timeouts: [30_000], pauses: [] })
  assert.deepEqual(await confirming([wrong], []), { sample: wrong, timeouts: [30_000], pauses: [] })
})

test('there are never more tries than delays and one, each after its own delay', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 6 }),
      fc.constantFrom('connection', 'content'),
      fc.integer({ min: 1, max: 10 }),
      (delays, kind, failures) => {
        const next = nextRetry(failures, kind, delays, 5_000)
        const repeats = kind === 'content' ? Math.min(1, delays.length) : delays.length
        if (failures > repeats) assert.equal(next, undefined)
        else assert.deepEqual(next, { delayMs: (delays[failures - 1] as number) * 1000, timeoutMs: 5_000 })
      },
    ),
  )
})
