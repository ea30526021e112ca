import type { Migration } from './migration.ts'

/** The language of the dashboard; null: that of the browser. */
export const userLanguages: Migration = {
  id: 21,
  name: 'user languages',
  sql: () => ['alter table users add column language text'],
}
