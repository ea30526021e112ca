import type { Migration } from './migration.ts'

/** Settings and states are stored as values; the API's JSON is rendered on read (monitoring/monitors/render.ts). */
export const monitorSettings: Migration = {
  id: 46,
  name: 'monitor settings',
  sql: () => [
    'alter table monitors drop column rendered',
    'alter table monitors add column interval_seconds bigint not null default 300',
    'alter table monitors add column expected_period_seconds bigint',
    'alter table monitors add column grace_seconds bigint not null default 60',
    "alter table monitors add column settings text not null default '{}'",
    'alter table monitor_states drop column rendered',
  ],
}
