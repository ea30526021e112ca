import type { Database } from '../../storage/database.ts'
import { q, run, statement } from '../../storage/query.ts'

interface Use {
  readonly at: number
  readonly address: string
}

const markUsed = statement(({ keyId, at, address }: Use & { keyId: string }) =>
  q
    .updateTable('api_keys')
    .set({ last_used_at: at, last_used_address: address })
    .where('id', '=', keyId)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)])),
)

export interface KeyUsage {
  record(keyId: string, address: string): void
  /** Writes the uses recorded since the last flush. */
  flush(): Promise<void>
}

/** Records when and from where each key was last used. Kept in memory and flushed by housekeeping, so that requests do not write. */
export function trackKeyUsage(database: Database, now: () => number): KeyUsage {
  let used = new Map<string, Use>()
  return {
    record(keyId, address) {
      used.set(keyId, { at: now(), address })
    },
    async flush() {
      if (used.size === 0) return
      const recorded = [...used]
      used = new Map()
      await database.write(function* () {
        // Sorted by id, so that two nodes that write the same keys cannot deadlock.
        for (const [keyId, use] of recorded.sort(([a], [b]) => (a < b ? -1 : 1)))
          yield* run(markUsed, { keyId, ...use })
      })
    },
  }
}
