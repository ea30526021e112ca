import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailedTry, ProbeTarget, Sample } from '../../../src/contract/probe.ts'
import { probeWithRetries } from '../../../src/monitoring/probes/retry.ts'
import { words } from '../../support/reasons.ts'

const target = { url: 'http://shop.example/', timeoutMs: 30_000 } as ProbeTarget
const up: Sample = { outcome: 'success', responseMs: 12 }
const inconclusive: Sample = { outcome: 'inconclusive', reason: words('out of sockets') }
const refused: Sample = { outcome: 'failure', code: 'CONNECT', error: words('refused'), kind: 'connection' }
const silent: Sample = { outcome: 'failure', code: 'TIMEOUT', error: words('no response'), kind: 'connection' }
const wrong: Sample = { outcome: 'failure', code: 'STATUS', error: words('got 503'), kind: 'content' }

/** Probes that return these samples one after the other; records the timeouts and pauses. */
async function probeReturning(samples: readonly Sample[], delaysSeconds: readonly number[] = [1, 3], at = target) {
  const takesWholeTimeout = samples.includes(silent)
  let elapsedMs = 0
  const timeouts: number[] = []
  const pauses: number[] = []
  const { tries, ...sample } = (await probeWithRetries(
    {
      delaysSeconds,
      async probe({ timeoutMs }) {
        timeouts.push(timeoutMs)
        elapsedMs += takesWholeTimeout ? timeoutMs : 0
        return samples[timeouts.length - 1] as Sample
      },
      async pause(ms) {
        pauses.push(ms)
        elapsedMs += ms
      },
      elapsedMs: () => elapsedMs,
    },
    at,
    new AbortController().signal,
  )) as Sample & { tries?: readonly FailedTry[] }
  return { sample, tries, timeouts, pauses }
}

test('a monitor with a confirmation of its own repeats every kind of failure that often, with its delays', async () => {
  const confirmed = (failureRetries: number, retryDelaysSeconds: number[]) =>
    probeReturning(Array(9).fill(wrong), [1, 3], {
      ...target,
      confirmation: { failureRetries, retryDelaysSeconds, recoverySuccesses: 1 },
    })
  assert.deepEqual((await confirmed(3, [2, 5])).pauses, [2_000, 5_000, 5_000])
  assert.deepEqual((await confirmed(2, [])).pauses, [0, 0])
  assert.deepEqual((await confirmed(0, [2])).pauses, [])
  const recovery = { ...target, confirmation: { recoverySuccesses: 3 } }
  assert.deepEqual((await probeReturning(Array(9).fill(wrong), [1, 3], recovery)).pauses, [1_000])
})

const outcomes: readonly (readonly [
  guarantee: string,
  samples: readonly Sample[],
  delaysSeconds: readonly number[],
  timeouts: readonly number[],
  pauses: readonly number[],
])[] = [
  ['a success is not repeated', [up], [1, 3], [30_000], []],
  [
    'a connection failure is retried after each delay, for 10 s each',
    [refused, refused, refused],
    [1, 3],
    [30_000, 10_000, 10_000],
    [1_000, 3_000],
  ],
  ['wrong content is retried once', [wrong, wrong], [1, 3], [30_000, 10_000], [1_000]],
  ['without delays a connection failure is not retried', [refused], [], [30_000], []],
  ['without delays wrong content is not retried', [wrong], [], [30_000], []],
]

for (const [guarantee, samples, delaysSeconds, timeouts, pauses] of outcomes) {
  test(guarantee, async () => {
    const { tries: _tries, ...seen } = await probeReturning(samples, delaysSeconds)
    assert.deepEqual(seen, { sample: samples.at(-1), timeouts, pauses })
  })
}

test('the timeout of a retry is at most that of the monitor', async () => {
  const { timeouts } = await probeReturning([refused, refused, refused], [1, 3], { ...target, timeoutMs: 2_000 })
  assert.deepEqual(timeouts, [2_000, 2_000, 2_000])
})

test('a check that somebody waits for ends within its timeout and 10 s', async () => {
  for (const timeoutMs of [1_000, 5_000, 10_000, 30_000, 60_000]) {
    const at = { ...target, timeoutMs, isManual: true }
    const { sample, timeouts, pauses } = await probeReturning([silent, silent, silent], [1, 3], at)
    assert.deepEqual(sample, silent)
    assert.ok(timeouts.length >= 2, 'a failure is confirmed at least once')
    const tookMs = [...timeouts, ...pauses].reduce((sum, ms) => sum + ms, 0)
    assert.ok(tookMs <= timeoutMs + 10_000, `${timeoutMs}: ${tookMs}`)
  }
  const { timeouts } = await probeReturning([refused, refused, refused], [1, 3], { ...target, isManual: true })
  assert.deepEqual(timeouts, [30_000, 10_000, 10_000], 'attempts that fail fast are repeated as usual')
})

test('a success or an inconclusive sample ends the retries', async () => {
  assert.deepEqual((await probeReturning([refused, up])).sample, up)
  assert.deepEqual((await probeReturning([wrong, up])).sample, up)
  assert.deepEqual((await probeReturning([refused, refused, up])).sample, up)
  assert.deepEqual((await probeReturning([refused, inconclusive])).sample, inconclusive)
})

test('a sample lists the tries that failed, with their time before the end of the check', async () => {
  assert.deepEqual((await probeReturning([refused, wrong, up])).tries, [
    { agoMs: 1_000, code: 'CONNECT', error: words('refused') },
    { agoMs: 0, code: 'STATUS', error: words('got 503') },
  ])
  assert.equal((await probeReturning([wrong, up])).tries?.length, 1)
  assert.equal((await probeReturning([refused, inconclusive])).tries, undefined)
})

test('when the kind of failure changes, the new kind decides about further retries', async () => {
  // Wrong content at the second attempt: its one retry is used up.
  assert.deepEqual((await probeReturning([refused, wrong, up])).sample, wrong)
  // A connection failure at the second attempt: one retry is left.
  assert.deepEqual((await probeReturning([wrong, refused, up])).sample, up)
})
