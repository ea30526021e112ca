import { contacts } from './contacts.ts'
import type { KindDefinition, KindName } from './kind.ts'
import { maintenanceWindows } from './maintenance-windows.ts'
import { monitors } from './monitors.ts'
import { statusPages } from './status-pages.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

export const kinds: Readonly<Record<KindName, KindDefinition>> = {
  monitors,
  statusPages,
  contacts,
  maintenanceWindows,
  webhookEndpoints,
}
