import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { pendingResults, resultsIn, type StoredResult } from '../../../src/monitoring/monitor-states/result-log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'

export interface AnyResult extends StoredResult {
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
