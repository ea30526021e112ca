import type { PostgresServer } from './postgres-server.ts'

interface StoredResult {
  readonly num: number
  readonly at: number
}

/** Tables with one row per result. Older results are packed; no test lasts that long. */
const tables = `
  select table_name as name from information_schema.columns
  where table_name like '%results\\_%' and column_name in ('num', 'at', 'state', 'ms')
  group by table_name having count(*) = 4`

/** All results of checks since a moment of the wall clock, in order. */
export async function storedResults(postgres: PostgresServer, since = 0): Promise<StoredResult[]> {
  const results: StoredResult[] = []
  for (const { name } of await postgres.query(tables)) {
    const rows = await postgres.query(`select num::int, at::float8 from ${name} where at >= ${Math.floor(since)}`)
    results.push(...(rows as unknown as StoredResult[]))
  }
  return results.sort((a, b) => a.at - b.at)
}

/** The time between consecutive results of the same monitor. */
export async function resultGaps(postgres: PostgresServer, since = 0): Promise<number[]> {
  const byMonitor = Map.groupBy(await storedResults(postgres, since), ({ num }) => num)
  return [...byMonitor.values()].flatMap((results) =>
    results.slice(1).map(({ at }, i) => at - (results[i] as StoredResult).at),
  )
}
