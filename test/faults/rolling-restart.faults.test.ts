import { setTimeout as delay } from 'node:timers/promises'
import { Clients } from './clients.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { startHaproxy } from './proxies.ts'
import { faultRow } from './row.ts'

const REQUESTS_PER_SECOND = 400
const ROUNDS = 2

faultRow(
  'two nodes behind HAProxy are restarted in turn (SIGTERM), twice',
  { needs: ['postgres', 'haproxy'] },
  async (row, site) => {
    const databaseUrl = (await PostgresServer.start(site)).url()
    const nodes = [await PharosNode.start(site, { databaseUrl }), await PharosNode.start(site, { databaseUrl })]
    const { url } = await startHaproxy(site, nodes)
    await delay(1_500)
    const clients = new Clients(url, REQUESTS_PER_SECOND)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const node of nodes) {
        await node.stop()
        await node.start()
        // HAProxy must send requests to it again before the other one stops.
        await delay(2_000)
      }
    }
    await clients.end()
    row.atLeast('requests', clients.count, 1_000)
    row.atMost('failed', clients.failures.length, 0)
    if (clients.failures.length > 0) row.holds('no failure', false, clients.failures.slice(0, 3).join(', '))
  },
)
