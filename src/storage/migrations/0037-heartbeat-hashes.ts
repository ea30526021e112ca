import type { Migration } from './migration.ts'

/**
 * A heartbeat token is found by its hash, and stored sealed, also in events. The next start seals the existing ones
 * (server/seal-monitor-secrets.ts).
 */
export const heartbeatHashes: Migration = {
  id: 37,
  name: 'heartbeat hashes',
  sql: () => [
    'alter table monitors add column heartbeat_hash text',
    'create unique index monitors_by_heartbeat on monitors (heartbeat_hash) where heartbeat_hash is not null',
    'drop table heartbeat_tokens',
    'alter table events add column heartbeat_token text',
    "delete from settings where name = 'monitor_secrets_sealed'",
  ],
}
