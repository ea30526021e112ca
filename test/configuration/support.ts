import assert from 'node:assert/strict'
import type { Client } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Anything = any

export interface Change {
  readonly action: string
  readonly kind: string
  readonly key: string
  readonly id?: string
  readonly fields: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[]
  readonly historyDays?: number
  readonly warning?: string
  readonly heartbeatUrl?: string
  readonly secret?: string
}

/** Plans a document and requires that it is valid. */
export async function plan(client: Client, document: object, more: object = {}) {
  const { status, body } = await client.post('/configuration/plan', { document, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  return body as { planId: string; changes: readonly Change[]; summary: Readonly<Record<string, number>> }
}

/** Plans a document and applies the plan. */
export async function apply(client: Client, document: object, more: object = {}) {
  const { planId } = await plan(client, document, more)
  const { status, body } = await client.post('/configuration/apply', { planId })
  assert.equal(status, 200, JSON.stringify(body))
  return body as { changes: readonly Change[]; summary: Readonly<Record<string, number>> }
}

/** `CREATE monitors.shop`, without what stays as it is. */
export function actionsOf(changes: readonly Change[]): string[] {
  return changes.filter(({ action }) => action !== 'NONE').map(({ action, kind, key }) => `${action} ${kind}.${key}`)
}

export async function faultsOf(client: Client, document: object): Promise<readonly string[]> {
  const { status, body } = await client.post('/configuration/plan', { document })
  assert.equal(status, 400, JSON.stringify(body))
  return body.error.details.map(({ path, message }: Anything) => `${path} ${message}`)
}

export async function idOf(client: Client, list: string, name: string): Promise<string> {
  const { body } = await client.get(`${list}?limit=100`)
  const found = body.data.find((one: Anything) => one.name === name || one.description === name)
  assert.ok(found, `${name} exists`)
  return found.id
}

export const cron = (name: string) => ({ name, type: 'CRON' })

/** A document with something of each kind, with secrets, references and options. */
export const everything = {
  version: 1,
  source: 'shop-team',
  defaults: { monitors: { intervalSeconds: 60 } },
  monitors: {
    shop: {
      name: 'Shop',
      type: 'HTTP',
      url: 'https://user:pass@shop.example/$%7Bcart%7D',
      requestHeaders: { Accept: 'text/html', Authorization: 'Bearer secret-token' },
      labels: { team: 'shop', env: 'prod' },
      assertions: [{ source: 'STATUS', operator: 'EQUALS', value: 200 }],
      request: { auth: { type: 'BASIC', username: 'ada', password: 'lovelace' } },
      notes: { text: `Costs \${EUR}` },
    },
    db: { name: 'Database', type: 'PORT', host: 'db.example', port: 5432, intervalSeconds: 300, paused: true },
    backup: { name: 'Backup', type: 'CRON', schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } },
  },
  contacts: {
    ops: {
      name: 'Ops',
      channel: 'WEBHOOK',
      settings: { url: 'https://hooks.example/secret' },
      covers: 'CHOSEN',
      monitors: ['shop', 'db'],
    },
    chat: {
      name: 'Chat',
      channel: 'WEBHOOK',
      settings: { url: 'https://hooks.example/other' },
      kinds: ['OPENED'],
      language: 'fr',
      timezone: 'Europe/Paris',
      exceptMonitors: ['db'],
      enabled: false,
    },
    team: {
      name: 'Team',
      channel: 'WEBHOOK',
      settings: { url: 'https://hooks.example/team' },
      covers: 'LABELS',
      selector: 'team == shop',
    },
  },
  statusPages: {
    main: {
      name: 'Shop status',
      slug: 'shop-status',
      visibility: 'PASSWORD',
      password: 'a-long-password',
      timezone: 'europe/berlin',
      sections: [
        { name: 'Shop', monitors: [{ monitor: 'shop', displayName: 'Web shop' }, { monitor: 'db' }] },
        { name: 'All of the team', selector: 'team=shop' },
      ],
    },
  },
  maintenanceWindows: {
    nightly: {
      name: 'Nightly',
      startsAt: '2030-01-01T02:00Z',
      endsAt: '2030-01-01T03:00:00Z',
      recurrence: 'DAILY',
      timezone: 'europe/berlin',
      monitors: ['db'],
      statusPages: ['main'],
      selector: 'env in (staging)',
    },
  },
  webhookEndpoints: {
    hooks: { url: 'https://hooks.example/pharos', description: 'Events', eventTypes: ['incident.opened'] },
  },
} as const
