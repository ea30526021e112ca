import { sql } from 'kysely'
import { OPEN_TABLES, stateOfCode } from '../../../src/monitoring/checks/raw-results.ts'
import { resultsIn } from '../../../src/monitoring/checks/result-blocks.ts'
import { dayOf, partName } from '../../../src/monitoring/checks/result-parts.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'

export interface AnyResult {
  /** The part that it is in, or that it will be moved to. */
  readonly partition: string
  readonly num: number
  readonly at: number
  readonly state: string
  readonly ms: number | null
}

/** Every stored result of all monitors, in order of time. A result that is stored twice is returned twice. */
export async function allResults(database: Database): Promise<readonly AnyResult[]> {
  const found: AnyResult[] = []
  for (const table of OPEN_TABLES) {
    for (const { num, at, state, ms, keep_days: days } of await database.read(
      execute(q.selectFrom(table).selectAll()),
    )) {
      found.push({ partition: partName(dayOf(at), days), num, at, state: stateOfCode(state), ms })
    }
  }
  const parts = q.selectFrom('result_parts').select('name').where('kind', '=', 'blocks')
  for (const { name } of await database.read(execute(parts))) {
    const blocks = sql<{ num: number; first_at: number; results: string }>`
      select num, first_at, results from ${sql.table(name)}`
    for (const block of await database.read(execute(blocks))) {
      for (const { at, state, responseMs } of resultsIn(block)) {
        found.push({ partition: name, num: block.num, at, state, ms: responseMs })
      }
    }
  }
  return found.sort((a, b) => a.at - b.at || a.num - b.num)
}
