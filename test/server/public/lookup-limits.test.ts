import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LookupLimits } from '../../../src/server/public/lookup-limits.ts'

/** Limits over a table of names, with the number of reads. */
function limitsOver(...names: readonly string[]) {
  const limits = new LookupLimits()
  const counted = { reads: 0 }
  const ask = (name: string, now: number, address = '203.0.113.9') =>
    limits.lookUp(name, address, now, async () => {
      counted.reads += 1
      return names.includes(name)
    })
  return { limits, counted, ask }
}

const MINUTE_MS = 60_000

test('unknown names of an address cause at most 1,200 reads a minute, also at the same time', async () => {
  const { counted, ask } = limitsOver('backup')
  await Promise.all(Array.from({ length: 2_000 }, (_, i) => ask(`guess-${i}`, 0)))
  assert.equal(counted.reads, 1_200)
  assert.deepEqual(await ask('backup', 1_000), { isKnown: false, waitMs: MINUTE_MS - 1_000 })
  assert.deepEqual(await ask('backup', 1_000, '203.0.113.10'), { isKnown: true, waitMs: 0 })
  assert.deepEqual(await ask('backup', MINUTE_MS), { isKnown: true, waitMs: 0 })
})

test('names that exist are read once, and do not count as unknown', async () => {
  const names = Array.from({ length: 1_300 }, (_, i) => `job-${i}`)
  const { counted, ask } = limitsOver(...names)
  for (const name of [...names, ...names]) assert.deepEqual(await ask(name, 0), { isKnown: true, waitMs: 0 })
  assert.equal(counted.reads, names.length)
  assert.deepEqual(await ask('guess', 0), { isKnown: false, waitMs: 0 })
})

test('a name that exists is limited from its first request on, also if requests come at the same time', async () => {
  const { ask } = limitsOver('backup')
  const answers = await Promise.all(Array.from({ length: 70 }, () => ask('backup', 0)))
  assert.equal(answers.filter(({ waitMs }) => waitMs === 0).length, 60)
})

test('a name that was forgotten is read again', async () => {
  const { limits, counted, ask } = limitsOver('backup')
  for (let i = 0; i < 3; i += 1) await ask('backup', 0)
  limits.forget('backup')
  await ask('backup', 0)
  assert.equal(counted.reads, 2)
})
