import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apply } from '../configuration/support.ts'
import { eventually } from '../support/eventually.ts'
import type { Client } from '../support/server.ts'

/** A server that answers like the metrics page of Uptime Kuma. */
export interface FakeKuma extends AsyncDisposable {
  readonly url: string
  /** By the name of the monitor: 0 down, 1 up, 2 pending, 3 maintenance. */
  readonly states: Map<string, number>
  /** The key that it accepts. */
  key: string
  /** Answers with this status instead. */
  status: number
}

export async function startKuma(states: Readonly<Record<string, number>>): Promise<FakeKuma> {
  const server = createServer((request, response) => {
    const expected = `Basic ${Buffer.from(`:${kuma.key}`).toString('base64')}`
    const status = request.headers.authorization === expected ? kuma.status : 401
    const lines = [...kuma.states].map(
      ([name, state], i) => `monitor_status{monitor_id="${i + 1}",monitor_name="${name}",monitor_type="http"} ${state}`,
    )
    response.writeHead(status, { connection: 'close' })
    response.end(status === 200 ? ['# TYPE monitor_status gauge', ...lines, ''].join('\n') : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const kuma: FakeKuma = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    states: new Map(Object.entries(states)),
    key: 'uk1_key',
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return kuma
}

/** Imports monitors of Uptime Kuma that check this address, and a contact. Returns their ids by name. */
export async function importFromKuma(client: Client, names: readonly string[], url: string) {
  const monitors = names.map((name, i) => [
    `${name.toLowerCase()}-${i + 1}`,
    { name, type: 'HTTP', url, intervalSeconds: 60 },
  ])
  const settings = { url: 'https://hooks.example/secret' }
  await apply(client, {
    version: 1,
    source: 'import-kuma',
    monitors: Object.fromEntries(monitors),
    contacts: { ops: { name: 'Ops', channel: 'WEBHOOK', settings, disabledAtFirst: true } },
  })
  const { body } = await client.get('/monitors?limit=100')
  return new Map<string, string>(body.data.map(({ name, id }: { name: string; id: string }) => [name, id]))
}

/** Waits for a poll after `before`. */
export async function polled(client: Client, id: string, before: string | null) {
  return await eventually(async () => {
    const { body } = await client.get(`/shadow-runs/${id}`)
    assert.notEqual(body.lastPollAt, before)
    return body
  })
}
