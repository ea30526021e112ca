import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { FAILED_RETRY_MS } from '../../../src/storage/queue/crash-delay.ts'
import { processClaim } from '../../../src/storage/queue/worker.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { idOf, LEASE_MS, NOW, newQueueDatabase, queue } from './fixtures.ts'

function newWorker(database: Database) {
  const lines: string[] = []
  const log = createLog('error', { write: (line) => void lines.push(line) })
  return { database, clock: new HandClock(NOW), log, lines, stopping: new AbortController().signal }
}

type Claim = Parameters<typeof processClaim>[1] & Parameters<typeof queue.release>[0]

function workThat(process: (claim: Claim) => Promise<void>) {
  return {
    process,
    queue,
    logFields: ({ id }: Claim) => ({ notice: id }),
  }
}

async function idsClaimedAt(database: Database, now: number): Promise<string[]> {
  const claims = await database.write(() => queue.claim({ node: 'next', now, limit: 10 }))
  return claims.map(({ id }) => id)
}

forEachEngine('processing claimed rows', (engine) => {
  test('a row that throws is logged and released with a delay, and the others are processed', async () => {
    await using base = await newQueueDatabase(engine, 3)
    const { database } = base
    const worker = newWorker(database)
    const claims = await database.write(() => queue.claim({ node: 'a', now: NOW, limit: 3 }))
    const work = workThat(async (claim) => {
      if (claim.id === idOf(1)) throw new Error('this row cannot be read')
      await database.write(() => queue.remove(claim))
    })
    await Promise.all(claims.map((claim) => processClaim(work, claim, worker)))
    const rows = await base.rows()
    assert.partialDeepStrictEqual(rows, [{ id: idOf(1), claimed_by: null }])
    assert.deepEqual(await idsClaimedAt(database, NOW + FAILED_RETRY_MS - 1), [])
    assert.deepEqual(await idsClaimedAt(database, NOW + FAILED_RETRY_MS), [idOf(1)])
    assert.equal(rows.length, 1)
    assert.equal(worker.lines.length, 1)
    assert.match(worker.lines[0] ?? '', /this row cannot be read/)
    assert.match(worker.lines[0] ?? '', new RegExp(`"notice":"${idOf(1)}"`))
  })

  test('a read that fails after the claim releases the row, also where the database refuses the first release', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const { database } = base
    const [claim] = await database.write(() => queue.claim({ node: 'a', now: NOW, limit: 1 }))
    assert.ok(claim)
    let refusals = 1
    const shaky: Database = {
      ...database,
      read: () => Promise.reject(new Error('the connection was lost')),
      write: (work) => (refusals-- > 0 ? Promise.reject(new Error('the connection was lost')) : database.write(work)),
    }
    const work = workThat(async () => void (await shaky.read(queue.isAnyDue(NOW))))
    await processClaim(work, claim, newWorker(shaky))
    assert.partialDeepStrictEqual(await base.row(claim.id), { claimed_by: null })
    assert.deepEqual(await idsClaimedAt(database, NOW + FAILED_RETRY_MS - 1), [])
    assert.deepEqual(await idsClaimedAt(database, NOW + FAILED_RETRY_MS), [claim.id])
  })

  test('a row that another node has claimed meanwhile is not released', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const { database } = base
    const [claim] = await database.write(() => queue.claim({ node: 'a', now: NOW, limit: 1 }))
    assert.ok(claim)
    const work = workThat(async () => {
      await database.write(() => queue.claim({ node: 'b', now: NOW + LEASE_MS, limit: 1 }))
      throw new Error('too late')
    })
    await processClaim(work, claim, newWorker(database))
    assert.partialDeepStrictEqual(await base.row(claim.id), { claimed_by: 'b', due_at: NOW + 2 * LEASE_MS })
  })
})
