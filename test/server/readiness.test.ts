import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { forEachEngine } from '../support/engines.ts'
import { startTestServer } from '../support/server.ts'
import { emptyDataDir } from '../support/sqlite.ts'

const DRAIN_MS = 1_500

/** Over a connection that the client would keep. */
function visit(url: string, agent: Agent): Promise<{ status: number | undefined; connection: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined
    connection: string | undefined
  }>()
  get(url, { agent }, (response) => {
    response.resume()
    response.on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }))
  }).on('error', reject)
  return promise
}

forEachEngine('a drain period', (engine) => {
  test('serves requests while /readyz answers 503, so that a client that asks it sees no failure', async () => {
    await using server = await startTestServer(engine)
    const agent = new Agent({ keepAlive: true })
    assert.deepEqual(await visit(`${server.url}/readyz`, agent), { status: 200, connection: 'keep-alive' })
    const stopped = server.running.stop(DRAIN_MS)
    const endsAt = performance.now() + DRAIN_MS / 2
    while (performance.now() < endsAt) {
      assert.deepEqual(await visit(`${server.url}/readyz`, agent), { status: 503, connection: 'close' })
      assert.deepEqual(await visit(`${server.url}/openapi.json`, agent), { status: 200, connection: 'close' })
      await delay(20)
    }
    await stopped
    await assert.rejects(visit(`${server.url}/healthz`, agent))
  })
})

test('SQLite: a node whose file is gone is not ready, and says why', async () => {
  const dataDir = emptyDataDir()
  await using server = await startTestServer('sqlite', { dataDir })
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  renameSync(`${dataDir}/pharos.db`, `${dataDir}/away.db`)
  const ready = await fetch(`${server.url}/readyz`)
  assert.equal(ready.status, 503)
  assert.match(((await ready.json()) as { reason: string }).reason, /pharos\.db was deleted or replaced/)
  renameSync(`${dataDir}/away.db`, `${dataDir}/pharos.db`)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})
