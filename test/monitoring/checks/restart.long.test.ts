import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { rounds } from '../../support/rounds.ts'
import { BOOTSTRAP_KEY, clientOf } from '../../support/server.ts'
import { type ServerProcess, startProcess } from '../../support/server-process.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { ConsistencyChecks } from './consistency.ts'

const MONITORS = 500
const INTERVAL_MS = 30_000
const SLOWEST_MS = 2_000
const KILLS = 2 * rounds
const MAX_UPTIME_MS = 1_500

/** A slow target, so that many checks are under way at any time; one path is down until `recover`. */
async function startTarget() {
  const target = { down: true, visits: 0 }
  const server = createServer(async (request, response) => {
    target.visits += 1
    await setTimeout(Math.random() * SLOWEST_MS)
    response.writeHead(request.url === '/shaky' && target.down ? 503 : 200, { connection: 'close' }).end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    recover: () => {
      target.down = false
    },
    urlOf: (i: number) => `http://127.0.0.1:${port}/${i % 5 === 0 ? 'shaky' : 'steady'}`,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function makeMonitors(nodes: readonly ServerProcess[], urlOf: (i: number) => string): Promise<void> {
  const clients = nodes.map(({ url }) => clientOf(url, { 'x-api-key': BOOTSTRAP_KEY }))
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < MONITORS; i = next++) {
      const body = { name: `m${i}`, type: 'HTTP', url: urlOf(i), intervalSeconds: INTERVAL_MS / 1000 }
      const answer = await clients[i % clients.length]?.post('/monitors', body)
      assert.equal(answer?.status, 201, JSON.stringify(answer?.body))
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

forEachEngine('kill -9 under load', (engine) => {
  test('checks of a killed node are repeated within seconds, and nothing is counted twice or lost', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    const { env } = workspace
    await using target = await startTarget()
    const nodes = [await startProcess(env)]
    if (engine === 'postgres') nodes.push(await startProcess(env))
    const [victim] = nodes as [ServerProcess]
    const database = await workspace.open()
    const consistency = new ConsistencyChecks(database)
    try {
      await makeMonitors(nodes, target.urlOf)
      await setTimeout((Math.random() * SLOWEST_MS) / 4)
      await victim.kill()
      const killedAt = Date.now()
      const orphans = await consistency.underWayIn(victim.pid)
      t.diagnostic(`${orphans.length} of ${MONITORS} checks were under way in the killed process`)
      assert.ok(orphans.length > 0, 'checks were under way')
      target.recover()
      if (engine === 'sqlite') nodes.push(await startProcess(env))

      const backAt = Date.now()
      // A second earlier, because a commit may have been in progress when the process was killed.
      await eventually(() => consistency.expectCheckedSince(orphans, killedAt - 1_000), 20_000)
      t.diagnostic(`all of them were checked ${Date.now() - backAt} ms after a node was running`)
      await consistency.expectNoneLate(INTERVAL_MS)
      await consistency.expectOneIncidentEach()

      for (let kills = 1; kills < KILLS; kills += 1) {
        await setTimeout(Math.random() * MAX_UPTIME_MS)
        await nodes.pop()?.kill()
        nodes.push(await startProcess(env))
      }
      for (const node of nodes) await node.kill()
      await consistency.expectOneIncidentEach()
      await consistency.expectRollupsEqualResults(MONITORS)
    } finally {
      for (const node of nodes) await node.kill()
    }
  })
})
