import type { Migration } from './migration.ts'

/** Monitors whose alerts are muted, and alerts that wait for the end of a mute. */
export const mutes: Migration = {
  id: 41,
  name: 'mutes',
  sql: (engine) => [
    `create table monitor_mutes (
      monitor_num ${engine === 'sqlite' ? 'integer' : 'bigint'} not null primary key references monitors (num) on delete cascade,
      org_id text not null,
      until bigint not null,
      muted_at bigint not null,
      muted_by text not null
    )`,
    'create index monitor_mutes_of_org on monitor_mutes (org_id, until)',
    'alter table alerts add column muted_until bigint',
    'create index alerts_muted on alerts (muted_until) where muted_until is not null',
  ],
}
