import type { Migration } from './migration.ts'

/**
 * Most days were up from end to end, and of those a page needs to know no more than that. The others are found here without a
 * look at the rest; the condition is written as the question writes it (see pages/queries.ts), or it would not be found to fit.
 */
export const notableDays: Migration = {
  id: 11,
  name: 'notable days',
  sql: (engine) => [
    // On SQLite the key's own tree holds the whole rows, and counting days would read all of them.
    ...(engine === 'sqlite' ? ['create index rollup_days_known on rollup_days (num, start_at)'] : []),
    `create index rollup_days_notable on rollup_days
      (num, start_at, up_ms, degraded_ms, down_ms, paused_ms, maintenance_ms)
      where up_ms <> 86400000 or degraded_ms > 0`,
  ],
}
