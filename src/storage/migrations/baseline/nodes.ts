import type { Dialect } from './dialect.ts'

export const nodeTables = ({ unlogged }: Dialect): readonly string[] => [
  `create table nodes (
    name text not null primary key,
    started_at bigint not null,
    renewed_at bigint not null,
    process text,
    monitors bigint not null
  )`,
  // Unlogged: taking a lock waits for no disk. What a lock protects is also protected by a unique key.
  `create ${unlogged}table locks (
    name text not null primary key,
    holder text not null,
    taken_at bigint not null
  )`,
  'create index locks_of_holder on locks (holder)',
  `create table crashed_rows (
    queue text not null,
    row_key text not null,
    crashes bigint not null,
    retry_at bigint not null,
    primary key (queue, row_key)
  )`,
  'create index crashed_rows_by_retry on crashed_rows (retry_at)',
]
