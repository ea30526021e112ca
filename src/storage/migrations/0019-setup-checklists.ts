import type { Migration } from './migration.ts'

/** Organizations that no longer want to see the setup checklist. */
export const setupChecklists: Migration = {
  id: 19,
  name: 'setup checklists',
  sql: () => [
    `create table dismissed_checklists (
      org_id text not null primary key,
      dismissed_at bigint not null
    )`,
  ],
}
