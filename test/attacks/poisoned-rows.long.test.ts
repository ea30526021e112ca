import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import type { CrashedRow } from '../../src/storage/nodes/release.ts'
import { execute, q } from '../../src/storage/query.ts'
import { rowsSetAside } from '../../src/storage/queue/crashes.ts'
import { importFromKuma } from '../shadow-runs/support.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { listen } from '../support/listener.ts'
import { pharos } from '../support/pharos-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { BOOTSTRAP_KEY, clientOf } from '../support/server.ts'
import { type ServerProcess, startProcess } from '../support/server-process.ts'
import { startHttpTarget } from '../support/targets.ts'
import { createEndpoint } from '../support/webhooks.ts'
import { migratedWorkspace } from '../support/workspace.ts'

/** A node is found dead, and the row waits 15 s at most after its second crash. */
const PATIENCE_MS = 60_000
/** The waiting row is not touched while this many healthy ones are processed. */
const HEALTHY = 5

const clientTo = ({ url }: { readonly url: string }) => clientOf(url, { 'x-api-key': BOOTSTRAP_KEY })

/** A service that ends whatever process asks it: an answer that the process does not survive. */
async function startPoison(askedBy: () => Promise<readonly number[]>) {
  let killed = 0
  const server = createServer(async (request) => {
    request.resume()
    for (const pid of await askedBy()) process.kill(pid, 'SIGKILL')
    killed += 1
    server.emit('killed')
  })
  const listener = await listen(server)
  return {
    url: `http://127.0.0.1:${listener.port}/`,
    get killed() {
      return killed
    },
    async untilKilled(count: number) {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      while (killed < count) await once(server, 'killed', { signal })
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

/** Nodes that are started again when they were killed, as by a service manager. */
async function startNodes(count: number, env: Readonly<Record<string, string>>) {
  const nodes: ServerProcess[] = []
  for (let i = 0; i < count; i += 1) nodes.push(await startProcess(env))
  const isAlive = async ({ url }: ServerProcess) =>
    (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200
  return {
    nodes,
    /** Those that answer. */
    async alive(): Promise<readonly ServerProcess[]> {
      const answers = await Promise.all(nodes.map(isAlive))
      return nodes.filter((_, i) => answers[i])
    },
    async restartKilled() {
      for (const [i, node] of nodes.entries()) {
        if (await isAlive(node)) continue
        await node.kill()
        nodes[i] = await startProcess(env)
      }
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.kill()
    },
  }
}

const pidIn = (node: string): number => Number(/-(\d+)-[0-9a-f]+$/.exec(node)?.[1])

async function claimants(database: Database, table: 'webhook_endpoints' | 'shadow_runs', id: string) {
  const rows = q.selectFrom(table).select('claimed_by').where('id', '=', id).where('claimed_by', 'is not', null)
  return (await database.read(execute(rows))).map(({ claimed_by: node }) => pidIn(node as string))
}

const waiting = (database: Database): Promise<readonly CrashedRow[]> => database.read(rowsSetAside(Date.now(), 10))

describe('a webhook endpoint whose answer ends the process', { skip: withoutPostgres }, () => {
  test('does not end one node after the other: it waits, and the others are sent to', async () => {
    await using workspace = await migratedWorkspace('postgres')
    const database = await workspace.open()
    let poisoned = ''
    await using poison = await startPoison(() => claimants(database, 'webhook_endpoints', poisoned))
    await using healthy = await startReceiver()
    const env = { ...workspace.env, PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    await using cluster = await startNodes(3, env)
    const client = clientTo(cluster.nodes[0] as ServerProcess)
    const filter = { eventTypes: ['monitor.created'] }
    await createEndpoint(client, { url: healthy.url, ...filter })
    const { id } = await createEndpoint(client, { url: poison.url, ...filter })
    poisoned = id
    assert.equal((await client.post('/monitors', { name: 'first', type: 'CRON' })).status, 201)

    for (const kills of [1, 2, 3]) {
      await poison.untilKilled(kills)
      await cluster.restartKilled()
    }
    const row = await eventually(async () => {
      const [found] = await waiting(database)
      assert.equal(found?.crashes, 3)
      return found
    }, PATIENCE_MS)
    assert.equal(row.queue, 'webhook_endpoints')
    assert.ok(row.rowKey.endsWith(poisoned), row.rowKey)

    // New events do not make it due before its time.
    for (let i = 0; i < HEALTHY; i += 1) {
      const node = cluster.nodes[i % 3] as ServerProcess
      assert.equal((await clientTo(node).post('/monitors', { name: `m${i}`, type: 'CRON' })).status, 201)
      await healthy.message(i + 2)
    }
    assert.equal(poison.killed, 3)
    assert.equal((await cluster.alive()).length, 3)
    const { stdout } = await pharos(['doctor'], { env })
    assert.match(stdout, new RegExp(`! queue +webhook_endpoints \\S+ ${poisoned}: the server ended or failed 3 times`))
  })
})

forEachEngine('a shadow run whose answer ends the process', (engine) => {
  test('ends, so that neither another node nor the next start reads it again', async () => {
    await using workspace = await migratedWorkspace(engine)
    const database = await workspace.open()
    await using target = await startHttpTarget()
    let runId = ''
    let asked = 0
    await using poison = await startPoison(async () => {
      asked += 1
      return claimants(database, 'shadow_runs', runId)
    })
    await using cluster = await startNodes(engine === 'postgres' ? 2 : 1, workspace.env)
    const client = clientTo(cluster.nodes[0] as ServerProcess)
    await importFromKuma(client, ['Shop'], target.url)
    const { status, body } = await client.post('/shadow-runs', { tool: 'KUMA', url: poison.url, key: 'k' })
    assert.equal(status, 201)
    runId = body.id
    await poison.untilKilled(1)
    await eventually(async () => assert.equal((await cluster.alive()).length, cluster.nodes.length - 1), PATIENCE_MS)
    await cluster.restartKilled()
    const run = await eventually(async () => {
      const { body } = await clientTo(cluster.nodes[0] as ServerProcess).get(`/shadow-runs/${runId}`)
      assert.notEqual(body.endedAt, null)
      return body
    }, PATIENCE_MS)
    assert.match(
      run.lastError,
      /^Pharos stopped unexpectedly while it read the answer of Uptime Kuma\. The run has ended/,
    )
    const rows = q.selectFrom('shadow_runs').select(['sealed_key', 'next_poll_at', 'claimed_by'])
    assert.deepEqual(await database.read(execute(rows)), [{ sealed_key: null, next_poll_at: null, claimed_by: null }])
    assert.equal(asked, 1)
    assert.equal((await cluster.alive()).length, cluster.nodes.length)
  })
})
