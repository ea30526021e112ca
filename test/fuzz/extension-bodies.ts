import fc from 'fast-check'
import { SECTION } from '../support/one-of-each.ts'
import type { DescribedOperation, Schema } from './schema.ts'
import { type JsonText, json, one, validJson } from './values.ts'

/** Replaces `@monitorId@` by the id of that path parameter. */
export function fillPlaceholders(body: string, ids: Readonly<Record<string, string>>): string {
  return body.replace(/@(\w+)@/g, (whole, name: string) => ids[name] ?? whole)
}

const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}$/)
const value = fc.string({ unit: fc.constantFrom(...'aZ0 ,()="é漢😀'), maxLength: 63 })
const labels = fc.dictionary(key, value, { maxKeys: 5 })
const selector = fc.constantFrom('team=pay', 'env in (prod,dev),!legacy', 'team', 'env!=prod', '!none')

/** The monitors of a bulk operation: by id or by selector. */
const chosen: fc.Arbitrary<object> = fc.oneof(
  fc.constantFrom({ monitorIds: ['@monitorId@'] }, { monitorIds: ['mon_gone', '@monitorId@'] }),
  selector.map((text) => ({ selector: text })),
)

const bulkActions: fc.Arbitrary<object> = fc.oneof(
  fc.constantFrom('PAUSE', 'RESUME', 'CHECK', 'DELETE').map((action) => ({ action })),
  fc
    .dictionary(key, fc.option(value), { minKeys: 1, maxKeys: 5 })
    .map((changed) => ({ action: 'LABEL', labels: changed })),
)

const bulkUpdates: fc.Arbitrary<object> = fc.oneof(
  fc.integer({ min: 30, max: 86_400 }).map((intervalSeconds) => ({ intervalSeconds })),
  fc.constantFrom({ attachContactIds: ['@contactId@'] }, { detachContactIds: ['@contactId@'] }),
)

/** Nobody answers on port 9. Names are those of loopback. */
const triedSettings = fc.constantFrom<Readonly<Record<string, unknown>>>(
  { type: 'HTTP', url: 'http://127.0.0.1:9/' },
  { type: 'KEYWORD', url: 'http://[::1]:9/a?b=c', keyword: 'x' },
  { type: 'PING', host: 'localhost' },
  { type: 'PORT', host: '127.0.0.1', port: 9 },
  { type: 'DNS', url: 'localhost' },
  { type: 'SSL', url: 'localhost:9' },
)

const covered: fc.Arbitrary<object> = fc.oneof(
  fc.constantFrom({}, { covers: 'ALL' }, { covers: 'CHOSEN' }),
  selector.map((text) => ({ covers: 'LABELS', selector: text })),
)

const merged = (...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<JsonText> =>
  fc.tuple(...parts).map((all) => json(Object.assign({}, ...all)))

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '')

/** Bodies of extensions that follow every rule. An operation without an entry has no rules beyond its schema. */
export const extensionBodies: Readonly<Record<string, (operation: DescribedOperation) => fc.Arbitrary<JsonText>>> = {
  tryMonitor: () => merged(triedSettings, fc.constant({ name: 'Shop', timeoutSeconds: 5 })),
  muteMonitor: () => fc.constant(json({ until: new Date(Date.now() + 3_600_000).toISOString() })),
  setMonitorLabels: () => labels.map((given) => json({ labels: given })),
  planConfiguration: () =>
    fc.tuple(labels, fc.boolean()).map(([given, deletes]) => {
      const job = { name: 'Job', type: 'CRON', labels: given }
      return json({ document: { version: 1, source: 'fuzz', monitors: { job } }, delete: deletes })
    }),
  applyConfiguration: () => one({ planId: 'plan_gone' }, { planId: 'plan_gone', confirmDeletes: 3 }),
  finishImport: () => one({ source: 'import-kuma' }, { source: 'fuzz' }),
  importHistory: () => one({ source: 'import-kuma', monitors: [] }, { source: 'fuzz', monitors: [] }),
  createShadowRun: () =>
    one({ tool: 'GATUS', url: 'http://127.0.0.1:9/' }, { tool: 'KUMA', url: 'http://127.0.0.1:9/metrics', key: 'k' }),
  setMonitorLegacyAddress: () =>
    one({ tool: 'KUMA', token: 'fuzz-token' }, { tool: 'GATUS', token: 'a_b', bearer: 'fuzz-token' }),
  changeMonitors: () => merged(chosen, bulkActions),
  updateMonitors: () => merged(chosen, bulkUpdates),
  setMaintenanceWindowSelector: () => fc.option(selector).map((text) => json({ selector: text })),
  setStatusPageLogo: () => fc.constant(json({ image: 'R0lGODlhAQABAAAAACw=' })),
  setStatusPageSelectors: () =>
    fc.option(selector).map((text) => json({ sections: [{ name: SECTION, selector: text }] })),
  createContact: () =>
    merged(
      fc.record({ name }),
      fc.constant({ channel: 'WEBHOOK', settings: { url: 'https://hooks.example/a' } }),
      covered,
    ),
  updateContact: () => merged(fc.record({ name }), covered),
  createIncidentNote: () => name.map((body) => json({ body })),
  updateIncidentNote: () => name.map((body) => json({ body })),
  retryFailedDeliveries: ({ body = {} }) =>
    validJson(body, { since: one('2026-01-01T00:00Z', '2026-11-01T12:00:00Z') }),
}

const addresses: Readonly<Record<string, readonly string[]>> = {
  tryMonitor: ['url', 'host'],
  updateMonitor: ['type', 'url', 'host'],
  updateContact: ['settings'],
}

/**
 * The body of an operation without the fields that decide which host is contacted at once. A random change of a loopback
 * address would be the address of somebody else.
 */
export function withoutAddresses({ id, body = {} }: DescribedOperation): Schema {
  const { properties = {}, required = [] } = body
  const left = addresses[id] ?? []
  if (left.length === 0) return body
  const kept = Object.entries(properties).filter(([field]) => !left.includes(field))
  const needed = required.filter((field) => !left.includes(field))
  return { ...body, properties: Object.fromEntries(kept), required: needed }
}
