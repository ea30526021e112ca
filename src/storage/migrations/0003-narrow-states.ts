import type { Migration } from './migration.ts'

/** What every check writes becomes narrower: the log leaves the memory, and settings are known by their edition. */
export const narrowStates: Migration = {
  id: 3,
  name: 'narrow states',
  sql: () => [
    "alter table monitor_states add column recent text not null default ''",
    'alter table monitor_states add column edition bigint not null default 1',
  ],
}
