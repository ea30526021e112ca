import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OptionName } from '../../../src/monitoring/monitor-options/definitions.ts'
import { SQLITE_FILE } from '../../../src/storage/sqlite/database.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import { type Env, pharos, startServer } from '../../support/pharos-process.ts'
import { BOOTSTRAP_KEY, type Client } from '../../support/server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'

const own = { PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY, PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }

/** Each option with a monitor that can have it, and what is shown of it: the body, with masked secrets. */
const options: Readonly<Record<OptionName, { monitor: MonitorBody; body: object; shown?: object }>> = {
  assertions: {
    monitor: smallest('HTTP', { url: 'http://127.0.0.1:9/' }),
    body: { assertions: [{ source: 'JSON', path: '$.ok', operator: 'EQUALS', value: 'true', severity: 'DEGRADED' }] },
  },
  request: {
    monitor: smallest('KEYWORD', { url: 'http://127.0.0.1:9/' }),
    body: { auth: { type: 'BEARER', token: 'secret' }, proxyUrl: 'http://me:secret@127.0.0.1:9', maxRedirects: 2 },
    shown: { auth: { type: 'BEARER', token: 'set' }, proxyUrl: 'http://***@127.0.0.1:9', maxRedirects: 2 },
  },
  dialogue: {
    monitor: smallest('PORT', { host: '127.0.0.1', port: 9 }),
    body: { transport: 'TCP', steps: [{ send: 'PING\r\n', expect: 'PONG' }] },
    shown: { transport: 'TCP', steps: [{ send: 'set', expect: 'PONG' }] },
  },
  schedule: { monitor: smallest('CRON'), body: { cron: '5 4 * * *', timezone: 'Europe/Berlin' } },
  confirmation: {
    monitor: smallest('PING', { host: '127.0.0.1' }),
    body: { failureRetries: 1, retryDelaysSeconds: [2], recoverySuccesses: 3 },
  },
  legacyAddress: {
    monitor: smallest('CRON'),
    body: { tool: 'KUMA', token: 'secret' },
    shown: { tool: 'KUMA', token: 'set' },
  },
  notes: { monitor: smallest('SSL'), body: { runbookUrl: 'https://wiki.example/shop', text: 'Call Ada' } },
}
const names = Object.keys(options) as OptionName[]

/** Its monitor, by option. */
type Monitors = Readonly<Record<OptionName, string>>

async function expectStored(client: Client, monitors: Monitors, after: string): Promise<void> {
  for (const name of names) {
    const { status, body } = await client.get(`/monitors/${monitors[name]}/${pathOf(name)}`)
    const { body: given, shown = given } = options[name]
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body, shown, `${name} after ${after}`)
  }
}

/** A secret that is stored is kept by sending its mask. */
async function expectComplete(env: Env, monitors: Monitors, after: string): Promise<void> {
  await using server = await startServer(env)
  const client = server.client(BOOTSTRAP_KEY)
  await expectStored(client, monitors, after)
  const path = `/monitors/${monitors.request}/request`
  assert.equal((await client.send('PUT', path, options.request.shown)).status, 200)
}

const pathOf = (option: string): string => option.replace('legacyAddress', 'legacy-address')

async function setAll(client: Client): Promise<Monitors> {
  const ids: Partial<Record<OptionName, string>> = {}
  for (const name of names) {
    const { monitor, body } = options[name]
    const { id } = await createMonitor(client, monitor)
    const { status, body: answer } = await client.send('PUT', `/monitors/${id}/${pathOf(name)}`, body)
    assert.equal(status, 200, `${name} ${JSON.stringify(answer)}`)
    ids[name] = id
  }
  return ids as Monitors
}

forEachEngine('options that were acknowledged', (engine) => {
  test('survive PATCH, pause, resume and kill -9, and a backup has them', async () => {
    await using workspace = await migratedWorkspace(engine)
    const env = { ...workspace.env, ...own }
    let monitors: Monitors
    {
      await using server = await startServer(env)
      const client = server.client(BOOTSTRAP_KEY)
      monitors = await setAll(client)
      const changes = [
        ['PATCH', '', { name: 'Renamed', graceSeconds: 90 }],
        ['POST', '/pause', {}],
        ['POST', '/resume', {}],
      ] as const
      for (const [method, path, body] of changes) {
        for (const name of names) {
          const { status } = await client.send(method, `/monitors/${monitors[name]}${path}`, body)
          assert.equal(status, 200, `${method} ${path} ${name}`)
        }
        await expectStored(client, monitors, `${method} ${path}`)
      }
      server.signal('SIGKILL')
      await server.ended
    }
    await expectComplete(env, monitors, 'kill -9')
    // PostgreSQL has backups of its own.
    if (engine === 'postgres') return
    const restored = join(workspace.folder, 'restored')
    mkdirSync(restored, { mode: 0o700 })
    const copy = join(workspace.folder, 'copy.db')
    assert.equal((await pharos(['backup', copy], { env })).code, 0)
    copyFileSync(copy, join(restored, SQLITE_FILE))
    await expectComplete({ ...own, PHAROS_DATA_DIR: restored }, monitors, 'restoring a backup')
  })
})
