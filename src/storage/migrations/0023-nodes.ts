import type { Migration } from './migration.ts'

/** Nodes with their heartbeat, and the locks that they hold. Used on PostgreSQL only: one process uses an SQLite file. */
export const nodes: Migration = {
  id: 23,
  name: 'nodes',
  sql: (engine) => [
    `create table nodes (
      name text not null primary key,
      started_at bigint not null,
      renewed_at bigint not null,
      monitors bigint not null default 0
    )`,
    // Not logged: taking a lock writes no WAL and waits for no disk. After a crash of PostgreSQL the table is empty; what
    // a lock protects is also protected by a unique key.
    `create ${engine === 'postgres' ? 'unlogged ' : ''}table locks (
      name text not null primary key,
      holder text not null,
      taken_at bigint not null
    )`,
    'create index locks_of_holder on locks (holder)',
    'create index status_page_domains_claimed on status_page_domains (claimed_by) where claimed_by is not null',
  ],
}
