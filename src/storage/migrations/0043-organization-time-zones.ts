import type { Migration } from './migration.ts'

/** Reports are about calendar months in this zone. */
export const organizationTimeZones: Migration = {
  id: 43,
  name: 'organization time zones',
  sql: () => ["alter table organizations add column timezone text not null default 'UTC'"],
}
