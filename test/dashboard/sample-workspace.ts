import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import tls from 'node:tls'
import { DAY_MS, makeSelfSigned } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { listen } from '../support/listener.ts'
import { createMonitor, current } from '../support/monitors.ts'
import type { Client } from '../support/server.ts'
import { startHttpTarget, startTcpTarget } from '../support/targets.ts'
import type { Dashboard } from './dashboard.ts'
import { HOUR_MS, MINUTE_MS, pastIncident, remember } from './past-results.ts'

/** A workspace as it is after some months, with a bit of everything; gives the ids of its monitors. */
export async function fillWorkspace(
  { server, owner }: Dashboard,
  stack: AsyncDisposableStack,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  const client = server.client()
  const up = stack.use(await startHttpTarget())
  const down = stack.use(await startHttpTarget())
  const port = stack.use(await startTcpTarget())
  const slow = await startSlow(stack)
  const certificate = await startTls(stack)
  await owner.post('/v1/contacts', {
    name: 'On-call phone',
    channel: 'WEBHOOK',
    settings: { url: 'https://hooks.example/alerts' },
  })
  const longName = 'A service with a very long name that somebody thought would be helpful to everybody, some day'
  const bodies: Record<string, object> = {
    checkout: { name: 'Checkout', type: 'HTTP', url: `${down.url}checkout` },
    shop: { name: 'Shop', type: 'HTTP', url: up.url, degradedThresholdMs: 10_000 },
    search: { name: 'Search', type: 'HTTP', url: slow, degradedThresholdMs: 20, degradedSamples: 1 },
    login: { name: 'Sign-in page', type: 'KEYWORD', url: up.url, keyword: 'Welcome' },
    database: { name: 'Database', type: 'PORT', host: '127.0.0.1', port: port.port },
    backup: { name: 'Nightly backup', type: 'CRON', expectedPeriodSec: 86_400, graceSeconds: 1800 },
    certificate: { name: 'shop.example certificate', type: 'SSL', url: certificate, verifySsl: false },
    paused: { name: 'Old blog', type: 'HTTP', url: up.url },
    long: { name: longName, type: 'HTTP', url: `${up.url}${'very/long/path/'.repeat(12)}` },
  }
  for (const [name, body] of Object.entries(bodies)) ids[name] = (await createMonitor(client, body)).id
  await client.post(`/monitors/${ids.paused}/pause`, {})
  const { heartbeatUrl } = await current(client, ids.backup as string)
  await fetch(`${heartbeatUrl}/start`)
  await fetch(heartbeatUrl, { method: 'POST', body: '12,480 files, 3.2 GB' })
  await client.post('/maintenance-windows', {
    name: 'Search index rebuild',
    startsAt: new Date(Date.now() - HOUR_MS).toISOString(),
    endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
    monitorIds: [ids.search],
  })
  await nothingPending(client)
  const now = Date.now()
  await remember(server, ids.checkout as string, { ms: 180, down: { 5: 14, 30: 25 } })
  await remember(server, ids.shop as string, { ms: 120 })
  await remember(server, ids.search as string, { ms: 320 })
  await remember(server, ids.login as string, { ms: 90, down: { 60: 8 } })
  await remember(server, ids.database as string, { ms: 4 })
  await pastIncident(server, ids.checkout as string, now - 30 * HOUR_MS, 25 * MINUTE_MS)
  await pastIncident(server, ids.checkout as string, now - 5 * HOUR_MS, 14 * MINUTE_MS)
  await client.post('/maintenance-windows', {
    name: 'Database upgrade',
    startsAt: new Date(now + DAY_MS).toISOString(),
    endsAt: new Date(now + DAY_MS + 2 * HOUR_MS).toISOString(),
    monitorIds: [ids.database],
  })
  down.status = 503
  down.body = '<h1>Service Unavailable</h1>\n<p>upstream connect error or disconnect before headers</p>'
  await client.post(`/monitors/${ids.checkout}/check`, {})
  return ids
}

async function startSlow(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((_request, response) => setTimeout(() => response.end('slowly'), 60))
  return `http://127.0.0.1:${stack.use(await listen(server)).port}/search`
}

async function startTls(stack: AsyncDisposableStack): Promise<string> {
  const credentials = makeSelfSigned({ hosts: ['127.0.0.1'], validTo: new Date(Date.now() + 12 * DAY_MS) })
  const server = tls.createServer(credentials, (socket) => socket.on('error', () => socket.destroy()).end())
  return `127.0.0.1:${stack.use(await listen(server)).port}`
}

/** Every first check has landed. */
async function nothingPending(client: Client): Promise<void> {
  await eventually(async () => {
    const { data } = (await client.get('/monitors?limit=100')).body
    assert.ok(data.every(({ state }: { state: string }) => state !== 'PENDING'))
  })
}
