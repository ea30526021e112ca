import type { Migration } from './migration.ts'

/**
 * Most days are up from start to end, and pages need no more detail about those. This index finds the others. The query
 * must repeat its condition word for word, or the planners do not use it.
 */
export const notableDays: Migration = {
  id: 11,
  name: 'notable days',
  sql: (engine) => [
    // SQLite stores whole rows in the primary key's tree, so counting days needs a smaller index.
    ...(engine === 'sqlite' ? ['create index rollup_days_known on rollup_days (num, start_at)'] : []),
    `create index rollup_days_notable on rollup_days
      (num, start_at, up_ms, degraded_ms, down_ms, paused_ms, maintenance_ms)
      where up_ms <> 86400000 or degraded_ms > 0`,
  ],
}
