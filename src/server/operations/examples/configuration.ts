import type { OperationExample } from './operation-example.ts'
import * as r from './resources.ts'

const document = {
  version: 1,
  source: 'shop-team',
  monitors: {
    checkout: { name: 'Checkout', type: 'HTTP', url: 'https://shop.example/health', labels: { team: 'payments' } },
  },
}

const change = {
  action: 'UPDATE',
  kind: 'monitors',
  key: 'checkout',
  id: r.monitor.id,
  fields: [{ path: 'intervalSeconds', before: 60, after: 300 }],
}

const created = {
  action: 'CREATE',
  kind: 'webhookEndpoints',
  key: 'events',
  id: r.endpoint.id,
  fields: [{ path: 'url', before: null, after: '(secret)' }],
  secret: r.signingSecret,
}

const summary = { create: 0, update: 1, delete: 0, release: 0, none: 12 }
const counts = { monitors: 0, statusPages: 0, contacts: 0, maintenanceWindows: 0, webhookEndpoints: 0 }
const planId = 'plan_019a8c60b1a870009d8c7b6a59483726'

/** Which document manages a resource. */
const source: OperationExample = { answer: { source: 'shop-team', key: 'checkout' } }

export const configurationExamples: Readonly<Record<string, OperationExample>> = {
  getConfiguration: { query: { source: 'shop-team' }, answer: document },
  listConfigurationSources: {
    answer: {
      sources: [{ source: 'shop-team', ...counts, monitors: 12, contacts: 2 }],
      unmanaged: { ...counts, monitors: 3 },
    },
  },
  planConfiguration: { body: { document }, answer: { planId, changes: [change], summary } },
  applyConfiguration: { body: { planId }, answer: { changes: [change, created], summary: { ...summary, create: 1 } } },
  importHistory: {
    body: {
      source: 'import-kuma',
      monitors: [
        {
          key: 'shop-12',
          hours: [[1_767_225_600, 3540, 60, 0, 60, 1, 84]],
          days: [[1_767_225_600, 86_340, 60, 0, 1440, 1, 81]],
        },
      ],
    },
    answer: { monitors: 1, hours: 1, days: 1 },
  },
  finishImport: { body: { source: 'import-kuma' }, answer: { enabledContacts: 3, unmutedMonitors: 42 } },
  getMonitorSource: source,
  getStatusPageSource: source,
  getContactSource: source,
  getMaintenanceWindowSource: source,
  getWebhookEndpointSource: source,
}
