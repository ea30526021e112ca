import type { OperationExample } from './operation-example.ts'
import * as r from './resources.ts'

export const importId = 'imp_019a8c60b1a870009d8c7b6a59483726'

const found = {
  id: importId,
  source: 'kuma',
  configurationSource: 'import-kuma',
  createdAt: '2026-03-02T09:10:00.000Z',
  expiresAt: '2026-03-09T09:10:00.000Z',
  appliedAt: null,
  files: [{ name: 'kuma.db', bytes: 41_943_040 }],
  counts: { mapped: 1, mappedWithLosses: 1, notSupported: 0, notMonitors: 0 },
}

const checkout = {
  kind: 'monitor',
  sourceId: '12',
  name: 'Checkout',
  outcome: 'MAPPED',
  key: 'monitors.checkout-12',
  losses: [],
  reason: null,
  resourceId: null,
  keepsAddress: false,
  needsNewAddress: false,
}

const backup = {
  ...checkout,
  sourceId: '13',
  name: 'Backup',
  outcome: 'MAPPED_WITH_LOSSES',
  key: 'monitors.backup-13',
  losses: ['The parent monitor is a label here: group=Jobs.'],
  keepsAddress: true,
  needsNewAddress: false,
}

const report = {
  ...found,
  objects: [checkout, backup],
  unreadable: [],
  variables: [],
  pagination: { limit: 1000, offset: 0, total: 2 },
}
const change = { action: 'CREATE', kind: 'monitors', key: 'checkout-12', fields: [] }
const summary = { create: 1, update: 0, delete: 0, release: 0, none: 0 }
const planId = 'plan_019a8c60b1a870009d8c7b6a59483726'

export const importExamples: Readonly<Record<string, OperationExample>> = {
  listImports: { answer: { data: [found], pagination: { limit: 25, offset: 0, total: 1 } } },
  createImport: {
    query: { source: 'kuma', files: 'kuma.db' },
    bodies: { 'The bytes of kuma.db, of which this is the beginning': 'SQLite format 3' },
    answer: found,
  },
  getImport: { answer: report },
  planImport: {
    body: { keys: ['monitors.checkout-12'], variableValues: { SLACK_TOKEN: 'xoxb-0' } },
    answer: { planId, changes: [change], summary },
  },
  applyImport: { body: { planId }, answer: { changes: [{ ...change, id: r.monitor.id }], summary } },
  deleteImport: { answer: { data: { id: importId } } },
}
