import type { Migration } from './migration.ts'

/**
 * The secrets of monitors get a column of their own. The next start moves them there, because it has the key
 * (server/seal-monitor-secrets.ts). A new database has none.
 */
export const monitorSecrets: Migration = {
  id: 13,
  name: 'monitor secrets',
  sql: () => [
    'alter table monitors add column secrets text',
    `insert into settings (name, value)
      select 'monitor_secrets_sealed', '1' where not exists (select 1 from organizations)`,
  ],
}
