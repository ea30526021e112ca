import type { Migration } from './migration.ts'

const tables = ['maintenance_monitors', 'status_page_monitors', 'published_incident_monitors']

/**
 * The number of the monitor comes first, so that the foreign key finds its rows when a monitor is deleted. Before, each
 * deletion read the whole table. The tables are small: a row per monitor of a window, page or published incident.
 */
export const monitorLinks: Migration = {
  id: 32,
  name: 'monitor links',
  sql: () =>
    tables.flatMap((table) => [
      `drop index ${table}_of_monitor`,
      `create index ${table}_of_monitor on ${table} (num, org_id)`,
    ]),
}
