import type { Migration } from './migration.ts'

/** The secrets of monitors get a column of their own. The next start moves them there, because it has the key. */
export const monitorSecrets: Migration = {
  id: 13,
  name: 'monitor secrets',
  sql: () => ['alter table monitors add column secrets text'],
}
