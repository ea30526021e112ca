import { accountTables } from './baseline/accounts.ts'
import { configurationTables } from './baseline/configuration.ts'
import { contactTables } from './baseline/contacts.ts'
import { deliveryTables } from './baseline/deliveries.ts'
import { dialectOf } from './baseline/dialect.ts'
import { factorTables } from './baseline/factors.ts'
import { labelTables } from './baseline/labels.ts'
import { maintenanceTables } from './baseline/maintenance.ts'
import { monitorTables } from './baseline/monitors.ts'
import { nodeTables } from './baseline/nodes.ts'
import { organizationTables } from './baseline/organizations.ts'
import { shadowRunTables } from './baseline/shadow-runs.ts'
import { statusPageTables } from './baseline/status-pages.ts'
import { subscriberTables } from './baseline/subscribers.ts'
import { webhookTables } from './baseline/webhooks.ts'
import type { Migration } from './migration.ts'

/** The first schema, table group by table group. Later ones only refer to earlier ones. */
export const baseline: Migration = {
  id: 1,
  name: 'baseline',
  compatibleFrom: 1,
  sql: (engine) => {
    const dialect = dialectOf(engine)
    return [
      'create table settings (name text not null primary key, value text not null)',
      ...organizationTables(dialect),
      ...accountTables,
      ...factorTables,
      ...monitorTables(dialect),
      ...labelTables(dialect),
      ...webhookTables,
      ...contactTables(dialect),
      ...maintenanceTables,
      ...statusPageTables,
      ...subscriberTables(dialect),
      ...nodeTables(dialect),
      ...deliveryTables,
      ...configurationTables(dialect),
      ...shadowRunTables,
    ]
  },
}
