import type { AccountTables } from './schema/accounts.ts'
import type { ConfigurationTables } from './schema/configuration.ts'
import type { ContactTables } from './schema/contacts.ts'
import type { DeliveryTables } from './schema/deliveries.ts'
import type { FactorTables } from './schema/factors.ts'
import type { LabelTables } from './schema/labels.ts'
import type { MaintenanceTables } from './schema/maintenance.ts'
import type { MonitorTables } from './schema/monitors.ts'
import type { NodeTables } from './schema/nodes.ts'
import type { OrganizationTables } from './schema/organizations.ts'
import type { ShadowRunTables } from './schema/shadow-runs.ts'
import type { StatusPageTables } from './schema/status-pages.ts'
import type { SubscriberTables } from './schema/subscribers.ts'
import type { WebhookTables } from './schema/webhooks.ts'

/**
 * All tables, the same on both engines. Times are integer milliseconds, ids are text, booleans are 0 or 1. `num` is the number of a
 * monitor, unique over all organizations. Join monitors by it alone: with `org_id` as well, PostgreSQL scans the organization's rows
 * for each monitor, as long as it has no statistics of the tables.
 */
export interface Schema
  extends OrganizationTables,
    MonitorTables,
    LabelTables,
    WebhookTables,
    ContactTables,
    MaintenanceTables,
    StatusPageTables,
    SubscriberTables,
    DeliveryTables,
    AccountTables,
    FactorTables,
    NodeTables,
    ConfigurationTables,
    ShadowRunTables {
  migrations: { id: number; name: string; applied_at: number; compatible_from: number }
  settings: { name: string; value: string }
}
