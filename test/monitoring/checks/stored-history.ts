import { DAY_MS } from '../../../src/lib/clock.ts'
import { maintainResults } from '../../../src/monitoring/checks/merge-results.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { readLog } from '../../../src/monitoring/monitor-states/recent-log.ts'
import { type UptimeStats, uptimeStats } from '../../../src/monitoring/uptime/compute.ts'
import { type Period, type Span, uptimeSeries } from '../../../src/monitoring/uptime/read-periods.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { addNode } from '../../support/nodes.ts'
import type { Workspace } from '../../support/workspace.ts'
import { allResults } from './all-results.ts'

/** Every check, whatever its time and state. */
export const allChecks = { from: 0, to: Number.MAX_SAFE_INTEGER, state: undefined }

/** Opens a database that no server uses: a server would move results, too, when it starts and every 30 s. */
export async function openResults(workspace: Workspace): Promise<Database> {
  const database = await workspace.open()
  await addNode(database, 'self')
  return database
}

/** Maintains the stored results until nothing is left to do. */
export async function maintain(database: Database, now: number): Promise<void> {
  while (await maintainResults(database, now)) {
    // One step at a time.
  }
}

/** A server, or a database that was opened without one. */
interface Opened {
  readonly running: { readonly database: Database }
}

export async function numOf({ running }: Opened, id: string): Promise<number> {
  const [row] = await running.database.read(execute(q.selectFrom('monitors').select('num').where('id', '=', id)))
  if (row === undefined) throw new Error(`There is no monitor ${id}`)
  return row.num
}

export function statsOver({ running }: Opened, num: number, span: Span, now: number): Promise<UptimeStats> {
  return Promise.resolve(running.database.read(uptimeStats(num, span, now)))
}

export async function daysOf({ running }: Opened, num: number, days: number, now: number) {
  const bars = await running.database.read(uptimeSeries([num], '365d', now))
  const from = (Math.floor(now / DAY_MS) - (days - 1)) * DAY_MS
  return (bars.get(num) as readonly Period[]).filter(({ startAt }) => startAt >= from)
}

/** The log of a monitor's latest results, newest first. */
export async function recentOf({ running }: Opened, num: number) {
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
export async function rawResultsOf(server: Opened, id: string): Promise<readonly StoredResult[]> {
  return rawResults(server, await numOf(server, id))
}

export async function rawResults({ running }: Opened, num: number): Promise<readonly StoredResult[]> {
  const its = (await allResults(running.database)).filter((result) => result.num === num)
  return its.map(({ num: _, ...result }) => result)
}

export async function partitionsOf({ running }: Opened): Promise<readonly string[]> {
  const rows = await running.database.read(execute(q.selectFrom('result_parts').select('name').orderBy('name')))
  return rows.map(({ name }) => name)
}
