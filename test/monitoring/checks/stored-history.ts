import assert from 'node:assert/strict'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { maintainResults } from '../../../src/monitoring/checks/merge-results.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { readLog } from '../../../src/monitoring/monitor-states/recent-log.ts'
import {
  type Period,
  type Span,
  type UptimeStats,
  uptimeSeries,
  uptimeStats,
} from '../../../src/monitoring/statistics/uptime.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { migratedTestDatabase, type TestDatabase } from '../../storage/test-database.ts'
import type { Engine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { addNode } from '../../support/nodes.ts'
import type { TestServer } from '../../support/server.ts'
import { allResults } from './all-results.ts'

/** Every check, whatever its time and state. */
export const allChecks = { from: 0, to: Number.MAX_SAFE_INTEGER, state: undefined }

/** A database in which a node may take locks, without a server: only the test moves results. */
export async function newResultsDatabase(engine: Engine): Promise<TestDatabase> {
  const fixture = await migratedTestDatabase(engine)
  await addNode(fixture.database, 'self')
  return fixture
}

/**
 * Maintains the stored results until nothing is left to do. A server does the same when it starts and every 30 s; a step that was
 * refused because the server held the lock is repeated.
 */
export async function maintain(database: Database, now: number): Promise<void> {
  let isRefused = false
  const watched: Database = {
    ...database,
    async tryLock(name) {
      const lock = await database.tryLock(name)
      isRefused ||= lock === undefined
      return lock
    },
    forMaintenance() {
      const maintenance = database.forMaintenance()
      return {
        ...maintenance,
        // The transaction that moves results on PostgreSQL returns false if it did not get its lock.
        async write(work) {
          const value = await maintenance.write(work)
          isRefused ||= value === false
          return value
        },
      }
    },
  }
  do {
    await lockIsFree(database)
    isRefused = false
  } while ((await maintainResults(watched, now)) || isRefused)
  await lockIsFree(database)
}

async function lockIsFree(database: Database): Promise<void> {
  for (const name of ['moving results', 'counting results']) {
    await eventually(async () => {
      const lock = await database.tryLock(name)
      assert.ok(lock !== undefined)
      await lock.release()
    })
  }
}

export async function numOf({ running }: TestServer, id: string): Promise<number> {
  const [row] = await running.database.read(execute(q.selectFrom('monitors').select('num').where('id', '=', id)))
  if (row === undefined) throw new Error(`There is no monitor ${id}`)
  return row.num
}

export function statsOver({ running }: TestServer, num: number, span: Span, now: number): Promise<UptimeStats> {
  return Promise.resolve(running.database.read(uptimeStats(num, span, now)))
}

export async function daysOf({ running }: TestServer, num: number, days: number, now: number) {
  const bars = await running.database.read(uptimeSeries([num], '365d', now))
  const from = (Math.floor(now / DAY_MS) - (days - 1)) * DAY_MS
  return (bars.get(num) as readonly Period[]).filter(({ startAt }) => startAt >= from)
}

/** The log of a monitor's latest results, newest first. */
export async function recentOf({ running }: TestServer, num: number) {
  const states = q.selectFrom('monitor_states').select(['recent_results', 'memory']).where('num', '=', num)
  const [row] = await running.database.read(execute(states))
  return row === undefined ? [] : readLog(readMemory(row.memory, 0).newLines + row.recent_results)
}

export interface StoredResult {
  readonly partition: string
  readonly at: number
  readonly state: string
  readonly ms: number | null
}

/** Every raw result of a monitor, of all partitions. */
export async function rawResultsOf(server: TestServer, id: string): Promise<readonly StoredResult[]> {
  return rawResults(server, await numOf(server, id))
}

export async function rawResults({ running }: TestServer, num: number): Promise<readonly StoredResult[]> {
  const its = (await allResults(running.database)).filter((result) => result.num === num)
  return its.map(({ num: _, ...result }) => result)
}

export async function partitionsOf({ running }: TestServer): Promise<readonly string[]> {
  const rows = await running.database.read(execute(q.selectFrom('result_parts').select('name').orderBy('name')))
  return rows.map(({ name }) => name)
}
