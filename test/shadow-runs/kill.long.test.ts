import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { migratedDatabase } from '../support/postgres.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'
import { startProcess } from '../support/server-process.ts'
import { emptyDataDir } from '../support/sqlite.ts'
import { startHttpTarget } from '../support/targets.ts'
import { importFromKuma, polled, startKuma } from './support.ts'

forEachEngine('a server that is killed', (engine) => {
  test('goes on with its shadow run, and has every change that it had stored', async () => {
    await using target = await startHttpTarget()
    await using kuma = await startKuma({ Shop: 1 })
    const dataDir = emptyDataDir()
    const created = engine === 'postgres' ? await migratedDatabase() : undefined
    const env = { PHAROS_DATA_DIR: dataDir, ...(created && { DATABASE_URL: created.url }) }
    const clientTo = (url: string) => clientOf(url, { 'x-api-key': BOOTSTRAP_KEY })
    try {
      let runId: string
      let before: { lastPollAt: string }
      {
        await using server = await startProcess(env)
        const client = clientTo(server.url)
        const ids = await importFromKuma(client, ['Shop'], target.url)
        await client.post(`/monitors/${ids.get('Shop')}/check`, {})
        const { body } = await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url, key: kuma.key })
        runId = body.id
        before = await polled(client, runId, null)
        kuma.status = 500
        before = await polled(client, runId, before.lastPollAt)
        await server.kill()
      }
      await using server = await startProcess(env)
      const client = clientTo(server.url)
      // The first failed answer is not noted, the second one is.
      const run = await polled(client, runId, before.lastPollAt)
      assert.deepEqual(run.counts, { NOT_RUNNING: 1 })
      assert.equal(run.matched, 1)
      assert.ok(run.agreement === 100, 'the time before is still compared')
      kuma.status = 200
      assert.equal((await polled(client, runId, run.lastPollAt)).lastError, null)
    } finally {
      await created?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
