import type { Database } from '../../storage/database.ts'
import { q, run, statement } from '../../storage/query.ts'

const markUsed = statement(({ keyId, at }: { keyId: string; at: number }) =>
  q
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('id', '=', keyId)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)])),
)

export interface KeyUse {
  note(keyId: string): void
  /** Writes what was noted since the last time. */
  flush(): Promise<void>
}

/** When each key was last used: noted in memory, written now and then, never with the request itself. */
export function trackKeyUse(database: Database, now: () => number): KeyUse {
  let used = new Map<string, number>()
  return {
    note(keyId) {
      used.set(keyId, now())
    },
    async flush() {
      if (used.size === 0) return
      const noted = [...used]
      used = new Map()
      await database.write(function* () {
        // In the order of the ids, so that two nodes that write the same keys cannot deadlock.
        for (const [keyId, at] of noted.sort(([a], [b]) => (a < b ? -1 : 1))) yield* run(markUsed, { keyId, at })
      })
    },
  }
}
