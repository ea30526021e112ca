import { migrations } from '../../src/storage/migrate.ts'
import type { Migration } from '../../src/storage/migrations/migration.ts'

const last = migrations.at(-1)?.id ?? 0

/** Tables of every request, check and alert. */
const tables = ['organizations', 'api_keys', 'monitors', 'monitor_states', 'incidents', 'contacts', 'nodes', 'settings']

/** What a next version would add: a column to many tables, a table, and an index on a table that may be large. */
const expansion: readonly Migration[] = [
  {
    id: last + 1,
    name: 'add columns and a table',
    compatibleFrom: last,
    sql: () => [
      ...tables.map((table) => `alter table ${table} add column next_version text`),
      'create table next_version (id integer not null primary key)',
    ],
  },
  {
    id: last + 2,
    name: 'add an index',
    compatibleFrom: last,
    sql: () => [],
    index: { name: 'monitors_of_next_version', on: 'monitors (next_version)' },
  },
]

/** The migrations of a version after this one. */
export const nextMigrations: readonly Migration[] = [...migrations, ...expansion]
