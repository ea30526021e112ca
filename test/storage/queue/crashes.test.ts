import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { removeNode } from '../../../src/storage/nodes/release.ts'
import { crashDelayMs } from '../../../src/storage/queue/crash-delay.ts'
import { countSetAside, pruneCrashes, rowsSetAside } from '../../../src/storage/queue/crashes.ts'
import { processClaim } from '../../../src/storage/queue/worker.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { releaseOrphaned } from '../../support/nodes.ts'
import { idOf, NOW, newQueueDatabase, queue } from './fixtures.ts'

type Process = (id: string) => Promise<void>

/** The row that ends every node, and those beside it. */
const POISONED = idOf(1)

async function claimed(database: Database, node: string, now: number) {
  const claims = await database.write(() => queue.claim({ node, now, limit: 10 }))
  return claims.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** A node claims what is due and ends; the next one finds what it has left. Returns what it had claimed. */
async function crash(database: Database, node: string, now: number): Promise<readonly string[]> {
  const claims = await claimed(database, node, now)
  await releaseOrphaned(database, queue, 'self', now)
  return claims.map(({ id }) => id)
}

/** A node processes what is due. */
async function processDue(database: Database, now: number, process: Process, stopping = new AbortController().signal) {
  for (const claim of await claimed(database, 'self', now)) {
    const work = {
      queue,
      process: async () => {
        await process(claim.id)
        await database.write(() => queue.release(claim, now))
      },
      logFields: () => ({}),
    }
    await processClaim<typeof claim>(work, claim, { database, clock: new HandClock(now), log: silentLog, stopping })
  }
}

const idsClaimed = async (database: Database, now: number) => (await claimed(database, 'self', now)).map(({ id }) => id)

forEachEngine('rows whose processing ends the process', (engine) => {
  test('are claimed again at once the first time, and wait longer with each further one', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const { database } = base
    let now = NOW
    assert.deepEqual(await crash(database, 'one', now), [idOf(0)])
    assert.equal(await database.read(countSetAside(now)), 0)
    const waits: number[] = []
    for (const node of ['two', 'three', 'four', 'five', 'six', 'seven', 'eight']) {
      assert.deepEqual(await crash(database, node, now), [idOf(0)])
      const [waiting] = await database.read(rowsSetAside(now, 10))
      assert.partialDeepStrictEqual(waiting, { queue: 'deliveries', rowKey: idOf(0), crashes: waits.length + 2 })
      assert.equal(await database.read(countSetAside(now)), 1)
      const retryAt = waiting?.retryAt as number
      assert.deepEqual(await crash(database, 'early', retryAt - 1), [], 'nobody claims it before')
      waits.push(retryAt - now)
      now = retryAt
    }
    const planned = [10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS, DAY_MS]
    for (const [i, wait] of waits.entries()) {
      const plannedMs = planned[i] as number
      assert.ok(wait >= plannedMs / 2 && wait <= plannedMs * 1.5, `${wait} instead of ${plannedMs}`)
    }
  })

  test('do not keep the rows beside them from being processed, which are forgiven when they have been', async () => {
    await using base = await newQueueDatabase(engine, 3)
    const { database } = base
    assert.equal((await crash(database, 'one', NOW)).length, 3)
    await processDue(database, NOW, async (id) => {
      if (id === POISONED) throw new Error('stands for the end of the process')
    })
    assert.deepEqual(await idsClaimed(database, NOW), [idOf(0), idOf(2)])
    const claims = await claimed(database, 'next', NOW + DAY_MS)
    assert.deepEqual(
      claims.map(({ id, crashes }) => [id, crashes]),
      [
        [idOf(0), 0],
        [POISONED, 2],
        [idOf(2), 0],
      ],
    )
  })

  test('count as crashed only if their node did not stop regularly', async () => {
    await using base = await newQueueDatabase(engine, 2)
    const { database } = base
    for (const node of ['one', 'two', 'three']) {
      assert.equal((await claimed(database, node, NOW)).length, 2)
      await database.write(() => removeNode(node, [queue], NOW))
    }
    const stopped = AbortSignal.abort()
    await processDue(database, NOW, () => Promise.reject(new Error('aborted')), stopped)
    assert.deepEqual(
      (await claimed(database, 'next', NOW)).map(({ crashes }) => crashes),
      [0, 0],
    )
  })

  test('are forgotten some days after nobody claims them any more', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const { database } = base
    await crash(database, 'one', NOW)
    assert.equal(await database.write(() => pruneCrashes(NOW + 7 * DAY_MS - 1, 10)), 0)
    assert.equal(await database.write(() => pruneCrashes(NOW + 7 * DAY_MS, 10)), 1)
  })
})

describe('the delay after a crash', () => {
  test('of rows that were in progress together differs, from the second crash on', () => {
    assert.equal(crashDelayMs('ended', 1, 0), 0)
    assert.equal(crashDelayMs('ended', 1, 0.99), 0)
    assert.equal(crashDelayMs('ended', 2, 0), 5 * SECOND_MS)
    assert.equal(crashDelayMs('ended', 2, 1), 15 * SECOND_MS)
    assert.equal(crashDelayMs('threw', 1, 0.9), 10 * SECOND_MS)
    assert.equal(crashDelayMs('threw', 100, 0.5), HOUR_MS)
  })
})
