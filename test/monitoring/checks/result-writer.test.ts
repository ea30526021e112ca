import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import { ResultWriter, type WriteOutcome } from '../../../src/monitoring/checks/result-writer.ts'
import type { CheckResult } from '../../../src/monitoring/checks/save-results.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { newState } from '../../../src/monitoring/monitor-states/state.ts'
import type { Database } from '../../../src/storage/database.ts'
import { migratedTestDatabase } from '../../storage/test-database.ts'
import { eventually } from '../../support/eventually.ts'
import { words } from '../../support/reasons.ts'

/**
 * A writer on a database without monitors, where every result is stale. Counts its transactions, of which the first few
 * can be made to fail.
 */
async function prepare(underWay: number, failures = 0) {
  const testDatabase = await migratedTestDatabase('sqlite')
  const { database } = testDatabase
  const seen = { writes: 0, outcomes: [] as WriteOutcome[] }
  const counting: Database = {
    ...database,
    write(...args) {
      seen.writes += 1
      if (seen.writes <= failures) return Promise.reject(new Error('The disk is full'))
      return database.write(...args)
    },
  }
  const stopping = new AbortController()
  const writer = new ResultWriter({
    database: counting,
    baseUrl: () => '',
    clock: systemClock,
    log: silentLog,
    onWritten: (_, outcome) => seen.outcomes.push(outcome),
    underWay: () => underWay - seen.outcomes.length,
    stopping: stopping.signal,
  })
  return { writer, seen, stopping, [Symbol.asyncDispose]: () => testDatabase[Symbol.asyncDispose]() }
}

function resultOf(num: number, orgId = 'org_none'): CheckResult {
  const settings = { type: 'PORT', intervalSeconds: 60 }
  const claim = {
    orgId,
    num,
    revision: 1,
    settings,
    current: newState,
    openIncident: null,
    memory: readMemory('{}', Date.now()),
  }
  return {
    claim: claim as unknown as Claim,
    sample: { outcome: 'inconclusive', reason: words('none') },
    at: Date.now(),
  }
}

test('the last result under way is written at once, together with those before it', async () => {
  await using prepared = await prepare(3)
  const { writer, seen } = prepared
  writer.add(resultOf(1))
  writer.add(resultOf(2))
  assert.equal(seen.writes, 0)
  writer.add(resultOf(3))
  assert.equal(seen.writes, 1)
  await eventually(async () => assert.deepEqual(seen, { writes: 1, outcomes: ['stale', 'stale', 'stale'] }))
})

test('while other checks are under way, a result is written after 100 ms', async (t) => {
  await using prepared = await prepare(3)
  const { writer, seen } = prepared
  t.mock.timers.enable({ apis: ['setTimeout'] })
  writer.add(resultOf(1))
  t.mock.timers.tick(50)
  writer.add(resultOf(2))
  t.mock.timers.tick(49)
  assert.equal(seen.writes, 0)
  t.mock.timers.tick(1)
  assert.equal(seen.writes, 1)
  t.mock.timers.reset()
  // Results that are being written are not waited for.
  writer.add(resultOf(3))
  assert.equal(seen.writes, 2)
  await eventually(async () => assert.equal(seen.outcomes.length, 3))
})

test('if a batch cannot be written, its results are written one by one, with retries', async () => {
  // The batch fails, then each of the two, then one of them again.
  await using prepared = await prepare(2, 4)
  const { writer, seen } = prepared
  writer.add(resultOf(1))
  writer.add(resultOf(2))
  await eventually(async () => assert.deepEqual(seen, { writes: 6, outcomes: ['stale', 'stale'] }))
})

test('two batches are written at the same time, and what comes meanwhile is written together', async () => {
  await using prepared = await prepare(250)
  const { writer, seen, stopping } = prepared
  stopping.abort()
  for (let num = 1; num <= 250; num += 1) writer.add(resultOf(num))
  assert.equal(seen.writes, 2)
  await eventually(async () => assert.equal(seen.outcomes.length, 250))
  assert.equal(seen.writes, 5, 'one, one, 100, 100 and the others')
})

test('many results of one organization are written apart from those of others', async () => {
  await using prepared = await prepare(63)
  const { writer, seen } = prepared
  for (let num = 1; num <= 60; num += 1) writer.add(resultOf(num))
  for (let num = 61; num <= 63; num += 1) writer.add(resultOf(num, `org_${num}`))
  assert.equal(seen.writes, 2, 'the others together, then the one with many')
  await eventually(async () => assert.equal(seen.outcomes.length, 63))
})

test('a stopping writer writes without delay and retries a failed write once', async () => {
  await using prepared = await prepare(3, 2)
  const { writer, seen, stopping } = prepared
  writer.add(resultOf(1))
  assert.equal(seen.writes, 0)
  stopping.abort()
  assert.equal(seen.writes, 1)
  await eventually(async () => assert.deepEqual(seen, { writes: 2, outcomes: ['lost'] }))
  writer.add(resultOf(2))
  assert.equal(seen.writes, 3)
  await eventually(async () => assert.deepEqual(seen.outcomes, ['lost', 'stale']))
})
