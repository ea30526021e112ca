import assert from 'node:assert/strict'
import type { Client, TestServer } from '../../support/server.ts'

/** Checks run by themselves only after the first one, and nothing leaves loopback, where nobody answers on port 9. */
export const savedEnv = {
  PHAROS_PRIVATE_TARGETS: 'allow',
  PHAROS_PRIVATE_WEBHOOKS: 'allow',
  PHAROS_DNS_SERVERS: '127.0.0.1:9',
  PHAROS_RDAP_BOOTSTRAP: 'http://127.0.0.1:9/',
}

const monitors = [
  {
    name: 'Shop',
    type: 'HTTP',
    url: 'http://shop:secret@127.0.0.1:9/',
    requestHeaders: { authorization: 'Bearer secret' },
  },
  { name: 'Word', type: 'KEYWORD', url: 'http://127.0.0.1:9/', keyword: 'ok' },
  { name: 'Gateway', type: 'PING', host: '127.0.0.1' },
  { name: 'Database', type: 'PORT', host: '127.0.0.1', port: 9 },
  { name: 'Certificate', type: 'SSL', url: 'https://127.0.0.1:9' },
  { name: 'Names', type: 'DNS', url: 'shop.example' },
  { name: 'Registration', type: 'DOMAIN', url: 'shop.example' },
  { name: 'Backup', type: 'CRON', expectedPeriodSec: 86_400 },
]

async function create(client: Client, path: string, body: object): Promise<Record<string, string>> {
  const answer = await client.post(path, body)
  assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Creates one resource of each kind, and an open incident of the cron job. */
export async function fill(server: TestServer): Promise<void> {
  const client = server.client()
  const created = []
  for (const monitor of monitors) created.push(await create(client, '/monitors', monitor))
  const backup = created.at(-1) as Record<string, string>
  assert.equal((await client.send('PUT', `/monitors/${backup.id}/labels`, { labels: { team: 'pay' } })).status, 200)
  const request = { auth: { type: 'BEARER', token: 'secret' } }
  assert.equal((await client.send('PUT', `/monitors/${created[0]?.id}/request`, request)).status, 200)
  await create(client, '/contacts', {
    name: 'Team',
    channel: 'WEBHOOK',
    settings: { url: 'http://127.0.0.1:9/secret' },
  })
  await create(client, '/webhook-endpoints', { url: 'http://127.0.0.1:9/hook', eventTypes: ['incident.opened'] })
  const page = await create(client, '/status-pages', {
    name: 'Shop status',
    slug: 'shop',
    published: true,
    visibility: 'PASSWORD',
    password: 'open sesame',
    sections: [{ name: 'Services', monitors: [{ monitorId: backup.id }] }],
  })
  assert.equal((await fetch(`${server.url}${new URL(backup.heartbeatUrl as string).pathname}/fail`)).status, 200)
  const incident = (await client.get(`/incidents?monitorId=${backup.id}`)).body.data[0]
  await create(client, `/incidents/${incident.id}/notes`, { body: 'The disk is full' })
  await create(client, '/status-incidents', {
    title: 'Backups fail',
    statusPageIds: [page.id],
    message: 'We are on it',
  })
  await create(client, '/maintenance-windows', {
    name: 'New disk',
    startsAt: '2027-01-01T00:00:00Z',
    endsAt: '2027-01-01T01:00:00Z',
    allMonitors: true,
  })
}

/** What must be found in a saved database after its upgrade. */
export async function assertFilled(server: Pick<TestServer, 'url' | 'client'>): Promise<void> {
  const client = server.client()
  const listed = async (path: string) => (await client.get(path)).body.data
  const found = await listed('/monitors')
  assert.deepEqual(
    found.map(({ name, type }: { name: string; type: string }) => [name, type]).sort(),
    monitors.map(({ name, type }) => [name, type]).sort(),
  )
  const backup = found.find(({ type }: { type: string }) => type === 'CRON')
  const [incident] = await listed(`/incidents?monitorId=${backup.id}`)
  assert.equal(incident.resolvedAt, null)
  assert.equal((await listed(`/incidents/${incident.id}/notes`))[0].body, 'The disk is full')
  assert.equal((await fetch(`${server.url}${new URL(backup.heartbeatUrl).pathname}`)).status, 200, 'the token is known')
  assert.notEqual((await client.get(`/incidents/${incident.id}`)).body.resolvedAt, null, 'the incident is over')
  for (const [path, name] of [
    ['/contacts', 'Team'],
    ['/status-pages', 'Shop status'],
    ['/status-incidents', 'Backups fail'],
    ['/maintenance-windows', 'New disk'],
  ] as const) {
    const [{ name: foundName, title }] = await listed(path)
    assert.equal(foundName ?? title, name, path)
  }
  const [endpoint] = await listed('/webhook-endpoints')
  assert.equal((await client.post(`/webhook-endpoints/${endpoint.id}/test`)).status, 200, 'its secret can be unsealed')
}

const lists = [
  '/monitors',
  '/monitor-list',
  '/incidents',
  '/contacts',
  '/webhook-endpoints',
  '/status-pages',
  '/status-incidents',
  '/maintenance-windows',
]

/** What the API shows of a database. */
export async function contentOf(server: TestServer): Promise<Record<string, unknown>> {
  const client = server.client()
  const content: Record<string, unknown> = {}
  const read = async (path: string): Promise<void> => {
    const { status, body } = await client.get(path)
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    content[path] = body
  }
  for (const path of lists) await read(path)
  for (const { id } of (content['/monitors'] as { data: { id: string }[] }).data) {
    for (const part of ['', '/labels', '/request', '/heartbeats', '/checks']) await read(`/monitors/${id}${part}`)
  }
  for (const { id } of (content['/incidents'] as { data: { id: string }[] }).data) await read(`/incidents/${id}/notes`)
  return content
}
