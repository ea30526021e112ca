import assert from 'node:assert/strict'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { pastIncident, remember } from '../../test/dashboard/past-results.ts'
import { createAt } from '../../test/dashboard/publishing.ts'
import { eventually } from '../../test/support/eventually.ts'
import { createMonitor, current } from '../../test/support/monitors.ts'
import type { Client, TestServer } from '../../test/support/server.ts'
import type { Targets } from './targets.ts'

/** Ids of what the pictures show. */
export interface Workspace {
  readonly monitors: Readonly<Record<string, string>>
  readonly statusPage: { readonly id: string; readonly url: string }
  readonly publishedId: string
  readonly incidentId: string
}

const monitors = {
  checkout: { name: 'Checkout', type: 'HTTP', url: 'https://shop.example/checkout' },
  shop: { name: 'Shop', type: 'HTTP', url: 'https://shop.example/' },
  api: { name: 'Public API', type: 'HTTP', url: 'https://api.shop.example/' },
  search: {
    name: 'Search',
    type: 'HTTP',
    url: 'https://shop.example/search',
    degradedThresholdMs: 100,
    degradedSamples: 1,
  },
  signIn: { name: 'Sign-in page', type: 'KEYWORD', url: 'https://shop.example/sign-in', keyword: 'Welcome' },
  database: { name: 'Database', type: 'PORT', host: 'db-1.shop.example', port: 5432 },
  backup: { name: 'Nightly backup', type: 'CRON', expectedPeriodSec: 86_400, graceSeconds: 1800 },
  certificate: { name: 'shop.example certificate', type: 'SSL', url: 'shop.example' },
  blog: { name: 'Old blog', type: 'HTTP', url: 'https://shop.example/blog' },
}

const labels: Readonly<Record<keyof typeof monitors, Readonly<Record<string, string>>>> = {
  checkout: { team: 'payments', env: 'prod' },
  shop: { team: 'web', env: 'prod' },
  api: { team: 'platform', env: 'prod' },
  search: { team: 'web', env: 'prod' },
  signIn: { team: 'web', env: 'prod' },
  database: { team: 'platform', env: 'prod' },
  backup: { team: 'platform' },
  certificate: { team: 'platform' },
  blog: {},
}

/** An organization as it is after some months: monitors with labels, a page, an outage that was published, maintenance. */
export async function fillWorkspace(server: TestServer, targets: Targets): Promise<Workspace> {
  const client = server.client()
  const settings = { url: 'https://hooks.shop.example/on-call' }
  await createAt(client, '/contacts', { name: 'On-call phone', channel: 'WEBHOOK', settings })
  const ids = await createMonitors(client)
  await createPast(server, ids)
  const statusPage = await createAt(client, '/status-pages', {
    name: 'Acme',
    slug: 'acme',
    published: true,
    subscribersEnabled: true,
    description: 'Status of the Acme shop and its services',
    sections: [
      { name: 'Shop', monitors: [ids.shop, ids.checkout, ids.signIn].map((monitorId) => ({ monitorId })) },
      { name: 'Platform', monitors: [] },
    ],
  })
  const selectors = [{ name: 'Platform', selector: 'team=platform,env=prod' }]
  await client.send('PUT', `/status-pages/${statusPage.id}/selectors`, { sections: selectors })
  await planMaintenance(client, ids)
  await addWebhook(client)
  targets.isCheckoutDown = true
  await client.post(`/monitors/${ids.checkout}/check`, {})
  const [incident] = (await client.get('/incidents?status=ONGOING')).body.data
  const published = await createAt(client, '/status-incidents', {
    title: 'Payments fail for some customers',
    impact: 'MAJOR',
    statusPageIds: [statusPage.id],
    affectedMonitors: [{ monitorId: ids.checkout, status: 'PARTIAL_OUTAGE' }],
    message: 'Some payments are declined. We are investigating.',
  })
  return { monitors: ids, statusPage, publishedId: published.id, incidentId: incident.id }
}

async function createMonitors(client: Client): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [name, body] of Object.entries(monitors)) {
    const { id } = await createMonitor(client, body)
    ids[name] = id
    await client.send('PUT', `/monitors/${id}/labels`, { labels: labels[name as keyof typeof monitors] })
  }
  await client.post(`/monitors/${ids.blog}/pause`, {})
  const { heartbeatUrl } = await current(client, ids.backup as string)
  await fetch(`${heartbeatUrl}/start`)
  await fetch(heartbeatUrl, { method: 'POST', body: '12,480 files, 3.2 GB' })
  await eventually(async () => {
    const { data } = (await client.get('/monitors?limit=100')).body
    assert.ok(data.every(({ state }: { state: string }) => state !== 'PENDING'))
  })
  return ids
}

async function createPast(server: TestServer, ids: Readonly<Record<string, string>>): Promise<void> {
  const past = {
    checkout: { ms: 180, down: { 5: 14, 30: 25 } },
    shop: { ms: 120 },
    api: { ms: 60, down: { 100: 6 } },
    search: { ms: 320 },
    signIn: { ms: 90, down: { 60: 8 } },
    database: { ms: 4 },
  }
  for (const [name, what] of Object.entries(past)) await remember(server, ids[name] as string, what)
  const now = Date.now()
  await pastIncident(server, ids.checkout as string, now - 30 * HOUR_MS, 25 * MINUTE_MS)
  await pastIncident(server, ids.checkout as string, now - 5 * HOUR_MS, 14 * MINUTE_MS)
}

async function planMaintenance(client: Client, ids: Readonly<Record<string, string>>): Promise<void> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const rebuild = { name: 'Search index rebuild', startsAt: at(-HOUR_MS), endsAt: at(HOUR_MS) }
  await createAt(client, '/maintenance-windows', { ...rebuild, monitorIds: [ids.search] })
  const cleanup = { name: 'Backup storage clean-up', startsAt: at(DAY_MS), endsAt: at(DAY_MS + 2 * HOUR_MS) }
  const weekly = { recurrence: 'WEEKLY', daysOfWeek: [7], timezone: 'UTC' }
  await createAt(client, '/maintenance-windows', { ...cleanup, ...weekly, monitorIds: [ids.backup] })
  const legacy = { name: 'Legacy shutdown', startsAt: at(3 * DAY_MS), endsAt: at(3 * DAY_MS + HOUR_MS) }
  await createAt(client, '/maintenance-windows', { ...legacy, selector: 'legacy' })
}

async function addWebhook(client: Client): Promise<void> {
  const endpoint = await createAt(client, '/webhook-endpoints', {
    url: 'https://hooks.shop.example/pharos',
    description: 'Chat bot',
    eventTypes: ['incident.opened', 'incident.resolved'],
  })
  await client.post(`/webhook-endpoints/${endpoint.id}/test`, {})
}
