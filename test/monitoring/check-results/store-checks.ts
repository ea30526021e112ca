import type { StoredCheck } from '../../../src/monitoring/check-results/find.ts'
import { storeReasons } from '../../../src/monitoring/check-results/reasons.ts'
import { storeBlocks } from '../../../src/monitoring/check-results/store.ts'
import { memoryText, readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { addResult } from '../../../src/monitoring/monitor-states/result-log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'

/** Stores checks of a monitor that has a state row, as if they had been made one after the other. */
export async function storeChecks(
  database: Database,
  num: number,
  checks: readonly StoredCheck[],
  keepDays = 90,
): Promise<void> {
  await database.write(function* () {
    const [row] = yield* execute(q.selectFrom('monitor_states').select('memory').where('num', '=', num))
    let memory = readMemory(row?.memory ?? '{}', 0)
    for (const { at, state, responseMs, error, causeCode: code } of checks) {
      const { log, toStore } = addResult(memory.results, { at, state, responseMs })
      memory = { ...memory, results: log }
      yield* storeBlocks(toStore.map((block) => ({ ...block, num, keepDays })))
      if (error !== null) yield* storeReasons([{ num, at, code, error, keepDays }])
    }
    yield* execute(
      q
        .updateTable('monitor_states')
        .set({ memory: memoryText(memory) })
        .where('num', '=', num),
    )
  })
}
