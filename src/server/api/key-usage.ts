import type { Database } from '../../storage/database.ts'
import { q, run, statement } from '../../storage/query.ts'

const markUsed = statement(({ keyId, at }: { keyId: string; at: number }) =>
  q
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('id', '=', keyId)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)])),
)

export interface KeyUsage {
  record(keyId: string): void
  /** Writes the times recorded since the last flush. */
  flush(): Promise<void>
}

/** Records when each key was last used. Kept in memory and flushed by housekeeping, so that requests do not write. */
export function trackKeyUsage(database: Database, now: () => number): KeyUsage {
  let used = new Map<string, number>()
  return {
    record(keyId) {
      used.set(keyId, now())
    },
    async flush() {
      if (used.size === 0) return
      const recorded = [...used]
      used = new Map()
      await database.write(function* () {
        // Sorted by id, so that two nodes that write the same keys cannot deadlock.
        for (const [keyId, at] of recorded.sort(([a], [b]) => (a < b ? -1 : 1))) yield* run(markUsed, { keyId, at })
      })
    },
  }
}
