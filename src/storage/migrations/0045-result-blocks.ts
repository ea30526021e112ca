import type { Migration } from './migration.ts'

/** Check results as blocks that checks append to (monitoring/check-results/store.ts). Results stored before are deleted. */
export const resultBlocks: Migration = {
  id: 45,
  name: 'result blocks',
  sql: (engine) => {
    // Rows are read by primary key, so SQLite stores them in the key's own tree.
    const clustered = engine === 'sqlite' ? ' without rowid' : ''
    const older = ['open_results_0', 'open_results_1', 'open_results_2', 'open_results_3', 'result_parts']
    return [
      ...[...older, 'notable_results', 'result_counts'].map((table) => `drop table ${table}`),
      ...(engine === 'sqlite' ? ['drop table open_result_moves'] : []),
      'alter table monitor_states drop column recent_results',
      `create table result_blocks (
        num bigint not null,
        first_at bigint not null,
        expires_at bigint not null,
        up bigint not null,
        degraded bigint not null,
        down bigint not null,
        inconclusive bigint not null,
        results text not null,
        primary key (num, first_at)
      )${clustered}`,
      'create index result_blocks_by_expiry on result_blocks (expires_at)',
      `create table check_reasons (
        num bigint not null,
        at bigint not null,
        code text,
        error text not null,
        expires_at bigint not null,
        primary key (num, at)
      )${clustered}`,
      'create index check_reasons_by_expiry on check_reasons (expires_at)',
      // Deleted monitors whose results are not deleted yet.
      'create table result_tombstones (num bigint not null primary key)',
    ]
  },
}
