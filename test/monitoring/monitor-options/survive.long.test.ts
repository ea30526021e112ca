import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SQLITE_FILE } from '../../../src/storage/sqlite/database.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { type Env, pharos, startServer } from '../../support/pharos-process.ts'
import { BOOTSTRAP_KEY, type Client } from '../../support/server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'

const own = { PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY, PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }

const options = {
  request: { auth: { type: 'BEARER', token: 'secret' } },
  confirmation: { failureRetries: 1, retryDelaysSeconds: [2], recoverySuccesses: 3 },
  notes: { text: 'Call Ada' },
}
const shown = { ...options, request: { auth: { type: 'BEARER', token: 'set' } } }

async function shownBy(client: Client, id: string): Promise<object> {
  const names = Object.keys(options)
  const bodies = await Promise.all(names.map(async (name) => (await client.get(`/monitors/${id}/${name}`)).body))
  return Object.fromEntries(names.map((name, i) => [name, bodies[i]]))
}

/** A secret that is stored is kept by sending its mask. */
async function expectComplete(env: Env, id: string): Promise<void> {
  await using server = await startServer(env)
  const client = server.client(BOOTSTRAP_KEY)
  assert.deepEqual(await shownBy(client, id), shown)
  assert.equal((await client.send('PUT', `/monitors/${id}/request`, shown.request)).status, 200)
}

forEachEngine('options that were acknowledged', (engine) => {
  test('survive kill -9, and a backup has them', async () => {
    await using workspace = await migratedWorkspace(engine)
    const env = { ...workspace.env, ...own }
    let id: string
    {
      await using server = await startServer(env)
      const client = server.client(BOOTSTRAP_KEY)
      id = (await createMonitor(client, smallest('HTTP', { url: 'http://127.0.0.1:9/' }))).id
      for (const [name, body] of Object.entries(options)) {
        assert.equal((await client.send('PUT', `/monitors/${id}/${name}`, body)).status, 200, name)
      }
      server.signal('SIGKILL')
      await server.ended
    }
    await expectComplete(env, id)
    // PostgreSQL has backups of its own.
    if (engine === 'postgres') return
    const restored = join(workspace.folder, 'restored')
    mkdirSync(restored, { mode: 0o700 })
    const copy = join(workspace.folder, 'copy.db')
    assert.equal((await pharos(['backup', copy], { env })).code, 0)
    copyFileSync(copy, join(restored, SQLITE_FILE))
    await expectComplete({ ...own, PHAROS_DATA_DIR: restored }, id)
  })
})
