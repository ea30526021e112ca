import type { Migration } from './migration.ts'

/** Finds the recent alerts of a contact, to notice monitors that flap. */
export const recentAlerts: Migration = {
  id: 38,
  name: 'recent alerts',
  sql: () => ['create index alerts_recent on alerts (contact_id, at)'],
}
