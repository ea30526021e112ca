import type { Migration } from './migration.ts'

/** The stored replays of an organization in order of age, with their sizes, so that the oldest can be deleted above a limit. */
export const replayLimits: Migration = {
  id: 35,
  name: 'replay limits',
  sql: () => [
    'alter table idempotency_records add column bytes bigint not null default 0',
    'update idempotency_records set bytes = length(answer)',
    'create index idempotency_records_of_org on idempotency_records (org_id, expires_at, bytes)',
  ],
}
