import type { Migration } from './migration.ts'

/**
 * Who created an API key, and from where it was last used. The creator is null for older keys and for keys of the command line.
 * It is no foreign key: the record must outlive the user.
 */
export const keyCreators: Migration = {
  id: 16,
  name: 'key creators',
  sql: () => [
    'alter table api_keys add column created_by text',
    'alter table api_keys add column last_used_address text',
  ],
}
