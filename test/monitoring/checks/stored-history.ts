import { sql } from 'kysely'
import { planNamed, planNames } from '../../../src/accounts/plans/plans.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { ensurePartitions, stateCodes } from '../../../src/monitoring/checks/raw-results.ts'
import {
  type Period,
  recentResults,
  type Span,
  type UptimeStats,
  uptimeSeries,
  uptimeStats,
} from '../../../src/monitoring/statistics/uptime.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { TestServer } from '../../support/server.ts'

const keepDays = [...new Set(planNames.map((name) => planNamed(name).rawResultsDays))]
const stateNames = Object.fromEntries(Object.entries(stateCodes).map(([name, number]) => [number, name]))

export async function numOf({ running }: TestServer, id: string): Promise<number> {
  const [row] = await running.database.read(execute(q.selectFrom('monitors').select('num').where('id', '=', id)))
  if (row === undefined) throw new Error(`There is no monitor ${id}`)
  return row.num
}

/** Creates the partitions of a day; a server creates those of the current day only, and tests jump ahead. */
export async function createPartitionsOf({ running }: TestServer, at: number): Promise<void> {
  await ensurePartitions(running.database, at, keepDays)
}

export function statsOver({ running }: TestServer, num: number, span: Span, now: number): Promise<UptimeStats> {
  return Promise.resolve(running.database.read(uptimeStats(num, span, now)))
}

export async function daysOf({ running }: TestServer, num: number, days: number, now: number) {
  const bars = await running.database.read(uptimeSeries([num], '365d', now))
  const from = (Math.floor(now / DAY_MS) - (days - 1)) * DAY_MS
  return (bars.get(num) as readonly Period[]).filter(({ startAt }) => startAt >= from)
}

export async function recentOf({ running }: TestServer, num: number) {
  return running.database.read(recentResults(num))
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

export async function rawResults(server: TestServer, num: number): Promise<readonly StoredResult[]> {
  const { database } = server.running
  const found: StoredResult[] = []
  for (const partition of await partitionsOf(server)) {
    const rows = await database.read(
      execute(
        sql<{ num: number; at: number; state: number; ms: number | null }>`
          select num, at, state, ms from ${sql.table(partition)} where num = ${sql.lit(num)} order by at`,
      ),
    )
    for (const { at, state, ms } of rows) found.push({ partition, at, state: stateNames[state] as string, ms })
  }
  return found
}

export async function partitionsOf({ running }: TestServer): Promise<readonly string[]> {
  const rows = await running.database.read(execute(q.selectFrom('result_parts').select('name').orderBy('name')))
  return rows.map(({ name }) => name)
}
