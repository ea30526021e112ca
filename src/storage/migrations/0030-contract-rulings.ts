import type { Migration } from './migration.ts'

/**
 * Earlier signing secrets that are still valid, the time in which the monitor of an open incident was paused, and
 * until when a provider accepts no messages for a contact.
 */
export const contractRulings: Migration = {
  id: 30,
  name: 'contract rulings',
  sql: () => [
    "alter table webhook_endpoints add column older_secrets text not null default '[]'",
    'alter table contacts add column refused_until bigint not null default 0',
    'alter table incidents add column paused_ms bigint not null default 0',
  ],
}
