import { DAY_MS } from '../../../src/lib/clock.ts'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { pendingResults, resultsIn, type StoredResult } from '../../../src/monitoring/monitor-states/result-log.ts'
import { type UptimeStats, uptimeStats } from '../../../src/monitoring/uptime/compute.ts'
import { type Period, type Span, uptimeSeries } from '../../../src/monitoring/uptime/read-periods.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'

/** Every check, whatever its time and state. */
export const allChecks = { from: 0, to: Number.MAX_SAFE_INTEGER, state: undefined }

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

interface AnyResult extends StoredResult {
  readonly num: number
}

/** Every stored result of all monitors, in order of time. A result that is stored twice is returned twice. */
export async function allResults(database: Database): Promise<readonly AnyResult[]> {
  const blocks = await database.read(execute(q.selectFrom('result_blocks').select(['num', 'first_at', 'results'])))
  const states = await database.read(execute(q.selectFrom('monitor_states').select(['num', 'memory'])))
  const found = [
    ...blocks.flatMap(({ num, first_at: firstAt, results }) =>
      resultsIn({ firstAt, results }).map((result) => ({ num, ...result })),
    ),
    ...states.flatMap(({ num, memory }) =>
      pendingResults(readMemory(memory, 0).results).map((result) => ({ num, ...result })),
    ),
  ]
  return found.sort((a, b) => a.at - b.at || a.num - b.num)
}

/** Every stored result of a monitor, in order of time. */
export async function resultsOf(server: Opened, id: string): Promise<readonly StoredResult[]> {
  return resultsOfNum(server, await numOf(server, id))
}

export async function resultsOfNum({ running }: Opened, num: number): Promise<readonly StoredResult[]> {
  const its = (await allResults(running.database)).filter((result) => result.num === num)
  return its.map(({ num: _, ...result }) => result)
}
