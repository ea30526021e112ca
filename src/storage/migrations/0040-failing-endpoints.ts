import type { Migration } from './migration.ts'

/** The last error of an endpoint, and what a manual retry of a pending delivery needs to know. */
export const failingEndpoints: Migration = {
  id: 40,
  name: 'failing endpoints',
  sql: () => [
    'alter table webhook_endpoints add column last_error text',
    'alter table webhook_endpoints add column last_error_status bigint',
    'alter table webhook_deliveries add column planned_at bigint',
    'alter table webhook_deliveries add column manual_count bigint not null default 0',
    'alter table webhook_deliveries add column sending_by text',
  ],
}
