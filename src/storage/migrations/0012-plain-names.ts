import type { Migration } from './migration.ts'

/** Tables and columns by the names that the code uses for the same things. Data, keys and indexes stay as they are. */
export const plainNames: Migration = {
  id: 12,
  name: 'plain names',
  sql: () => [
    ...tables.map(([from, to]) => `alter table ${from} rename to ${to}`),
    ...columns.map(([table, from, to]) => `alter table ${table} rename column ${from} to ${to}`),
  ],
}

const tables = [
  ['roster_totals', 'list_totals'],
  ['roster_blocks', 'list_blocks'],
  ['webhook_remains', 'webhook_tombstones'],
  ['subscriber_remains', 'subscriber_tombstones'],
  ['subscriber_windows', 'subscriber_rate_windows'],
]

const columns = [
  ['monitors', 'shown', 'rendered'],
  ['monitor_states', 'shown', 'rendered'],
  ['monitor_states', 'recent', 'recent_results'],
  ['contacts', 'quiet_until', 'hold_until'],
  ['alerts', 'trouble', 'problem_key'],
  ['alerts', 'notice', 'message_id'],
  ['alert_threads', 'notice', 'message_id'],
  ['maintenance_coverage', 'nums', 'monitor_nums'],
  ['maintenance_rechecks', 'nums', 'monitor_nums'],
  ['published_incident_pages', 'place', 'position'],
  ['subscriber_notices', 'about', 'topic'],
  ['recovery_codes', 'mark', 'code_hash'],
]
