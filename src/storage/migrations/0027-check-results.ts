import type { Engine } from '../database.ts'
import type { Migration } from './migration.ts'

/**
 * Makes stored results readable by state, with their reasons: results other than UP have rows of their own
 * (monitoring/checks/notable-results.ts), and results are counted by monitor and day (monitoring/checks/count-results.ts).
 */
export const checkResults: Migration = {
  id: 27,
  name: 'check results',
  sql: (engine) => [
    ...tables(engine),
    // When the results of the part were counted, and when those other than UP were copied; null: not yet.
    'alter table result_parts add column counted_at bigint',
    'alter table result_parts add column copied_at bigint',
    ...[0, 1, 2, 3].map(
      (i) => `insert into notable_results (num, state, at, ms, expires_at)
        select num, state, at, min(ms), max((at / 86400000 + keep_days + 1) * 86400000)
        from open_results_${i} where state in (2, 3) group by num, state, at
        on conflict do nothing`,
    ),
  ],
}

function tables(engine: Engine): string[] {
  const clustered = engine === 'sqlite' ? ' without rowid' : ''
  return [
    `create table notable_results (
      num bigint not null,
      state smallint not null,
      at bigint not null,
      ms bigint,
      code text,
      error text,
      expires_at bigint not null,
      primary key (num, state, at)
    )${clustered}`,
    'create index notable_results_by_expiry on notable_results (expires_at)',
    `create table result_counts (
      num bigint not null,
      day_at bigint not null,
      keep_days smallint not null,
      up bigint not null,
      degraded bigint not null,
      down bigint not null,
      up_hours bigint not null,
      primary key (num, day_at, keep_days)
    )${clustered}`,
    'create index result_counts_by_day on result_counts (day_at, keep_days)',
  ]
}
