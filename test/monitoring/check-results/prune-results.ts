import { pruneReasons } from '../../../src/monitoring/check-results/reasons.ts'
import { pruneBlocks } from '../../../src/monitoring/check-results/store.ts'
import type { Database } from '../../../src/storage/database.ts'

/** Deletes what has expired at `now`. */
export async function pruneResults(database: Database, now: number): Promise<void> {
  for (const prune of [pruneBlocks, pruneReasons]) {
    while ((await database.write(() => prune(now, 500))) > 0) {
      // At most 500 at a time.
    }
  }
}
