import type { Migration } from './migration.ts'

/** Makes the row that every check writes narrower: the results log and the settings' edition get columns of their own. */
export const narrowStates: Migration = {
  id: 3,
  name: 'narrow states',
  sql: () => [
    "alter table monitor_states add column recent text not null default ''",
    'alter table monitor_states add column edition bigint not null default 1',
  ],
}
