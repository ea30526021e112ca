import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { startHaproxy } from './proxies.ts'
import { faultRow } from './row.ts'

const CLIENTS = 12
const PAUSE_MS = 15
const ROUNDS = 2

faultRow(
  'two nodes behind HAProxy are restarted in turn (SIGTERM), twice',
  { needs: ['postgres', 'haproxy'] },
  async (row, site) => {
    const databaseUrl = (await PostgresServer.start(site)).url()
    const nodes = [await PharosNode.start(site, { databaseUrl }), await PharosNode.start(site, { databaseUrl })]
    const { url } = await startHaproxy(site, nodes)
    await delay(1_500)
    const clients = new Clients(url)
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

/** Clients that keep their connections, read and write in turn, and never repeat a request. */
class Clients {
  count = 0
  readonly failures: string[] = []
  readonly #url: string
  readonly #done = new AbortController()
  readonly #running: Promise<unknown>

  constructor(url: string) {
    this.#url = url
    this.#running = Promise.all(Array.from({ length: CLIENTS }, (_, i) => this.#work(`${i}`)))
  }

  async end(): Promise<void> {
    this.#done.abort()
    await this.#running
  }

  async #work(name: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; !this.#done.signal.aborted; turn += 1) {
      this.count += 1
      const isWrite = turn % 4 === 0
      try {
        const status = await this.#send(agent, isWrite ? { type: 'CRON', name: `${name}-${turn}` } : undefined)
        if (status !== (isWrite ? 201 : 200)) this.failures.push(`HTTP ${status}`)
      } catch (error) {
        this.failures.push((error as Error).message)
      }
      await delay(PAUSE_MS)
    }
    agent.destroy()
  }

  async #send(agent: Agent, body: object | undefined): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const headers = { 'x-api-key': BOOTSTRAP_KEY, ...(body && { 'content-type': 'application/json' }) }
    const path = `${this.#url}/api/v1/monitors${body ? '' : '?limit=2'}`
    const sent = request(path, { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject)
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
    return await promise
  }
}
