import type { PostgresServer } from './postgres-server.ts'

interface StoredResult {
  readonly num: number
  readonly at: number
}

/** All results of checks since a moment of the wall clock, in order. */
export async function storedResults(postgres: PostgresServer, since = 0): Promise<StoredResult[]> {
  const parts = await postgres.query('select name from result_parts')
  const results: StoredResult[] = []
  for (const { name } of parts) {
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
