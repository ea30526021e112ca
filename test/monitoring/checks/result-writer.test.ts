import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import { ResultWriter, type WriteOutcome } from '../../../src/monitoring/checks/result-writer.ts'
import type { CheckResult } from '../../../src/monitoring/checks/save-results.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import type { Database } from '../../../src/storage/database.ts'
import { migrate } from '../../../src/storage/migrate.ts'
import { newTestDatabase } from '../../storage/test-database.ts'
import { eventually } from '../../support/eventually.ts'

/**
 * A lander on a database without monitors, where whatever lands is overtaken, and how many transactions it took; the first few
 * may fail.
 */
async function prepare(underWay: number, failures = 0) {
  const ground = await newTestDatabase('sqlite')
  const { database } = ground
  await migrate(database, Date.now())
  const seen = { writes: 0, landings: [] as WriteOutcome[] }
  const counting: Database = {
    ...database,
    write(work, haste) {
      seen.writes += 1
      if (seen.writes <= failures) return Promise.reject(new Error('The disk is full'))
      return database.write(work, haste)
    },
  }
  const stopping = new AbortController()
  const lander = new ResultWriter({
    ...{ database: counting, baseUrl: () => '', clock: systemClock, log: silentLog },
    onWritten: (_, landing) => seen.landings.push(landing),
    underWay: () => underWay - seen.landings.length,
    stopping: stopping.signal,
  })
  return { lander, seen, stopping, [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose]() }
}

function finding(num: number): CheckResult {
  const settings = { type: 'PORT', intervalSeconds: 60 }
  const claim = { orgId: 'org_none', num, revision: 1, settings, memory: readMemory('{}', Date.now()) }
  return { claim: claim as unknown as Claim, sample: { outcome: 'inconclusive', reason: 'none' }, at: Date.now() }
}

test('what is the last to come takes all the others along at once, in one transaction', async () => {
  await using place = await prepare(3)
  const { lander, seen } = place
  lander.add(finding(1))
  lander.add(finding(2))
  assert.equal(seen.writes, 0)
  lander.add(finding(3))
  assert.equal(seen.writes, 1)
  await eventually(async () => assert.deepEqual(seen, { writes: 1, landings: ['overtaken', 'overtaken', 'overtaken'] }))
})

test('while there are others to come, the first waits for them, and not for ever', async () => {
  await using place = await prepare(3)
  const { lander, seen } = place
  lander.add(finding(1))
  lander.add(finding(2))
  assert.equal(seen.writes, 0)
  await eventually(async () => assert.equal(seen.writes, 1))
  // Those being written are not waited for.
  lander.add(finding(3))
  assert.equal(seen.writes, 2)
  await eventually(async () => assert.equal(seen.landings.length, 3))
})

test('one that is alone does not wait', async () => {
  await using place = await prepare(1)
  const { lander, seen } = place
  lander.add(finding(1))
  assert.equal(seen.writes, 1)
  await eventually(async () => assert.deepEqual(seen.landings, ['overtaken']))
})

test('what cannot be written together is written one by one, again and again', async () => {
  // The batch, then each of the two, then one of them again.
  await using place = await prepare(2, 4)
  const { lander, seen } = place
  lander.add(finding(1))
  lander.add(finding(2))
  await eventually(async () => assert.deepEqual(seen, { writes: 6, landings: ['overtaken', 'overtaken'] }))
})

test('a lander that stops writes what it has, and tries what fails once more and no longer', async () => {
  await using place = await prepare(3, 2)
  const { lander, seen, stopping } = place
  lander.add(finding(1))
  assert.equal(seen.writes, 0)
  stopping.abort()
  assert.equal(seen.writes, 1)
  await eventually(async () => assert.deepEqual(seen, { writes: 2, landings: ['lost'] }))
  lander.add(finding(2))
  assert.equal(seen.writes, 3)
  await eventually(async () => assert.deepEqual(seen.landings, ['lost', 'overtaken']))
})
