import { setTimeout as delay } from 'node:timers/promises'
import { openConnection } from '../support/keep-alive.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

const CLIENTS = 12

/** Clients that keep their connections, read and write in turn, and never repeat a request. */
export class Clients {
  count = 0
  readonly failures: string[] = []
  readonly #url: string
  readonly #reads: readonly string[]
  readonly #everyMs: number
  readonly #done = new AbortController()
  readonly #running: Promise<unknown>

  constructor(url: string, perSecond: number, reads: readonly string[] = ['/monitors?limit=2']) {
    this.#url = url
    this.#reads = reads
    this.#everyMs = (1_000 * CLIENTS) / perSecond
    this.#running = Promise.all(Array.from({ length: CLIENTS }, (_, i) => this.#work(`${i}`)))
  }

  async end(): Promise<void> {
    this.#done.abort()
    await this.#running
  }

  async #work(name: string): Promise<void> {
    const connection = openConnection(Number(new URL(this.#url).port))
    for (let turn = 0; !this.#done.signal.aborted; turn += 1) {
      const nextAt = performance.now() + this.#everyMs
      this.count += 1
      const isWrite = turn % 4 === 0
      const path = isWrite ? '/monitors' : (this.#reads[turn % this.#reads.length] as string)
      try {
        const { status } = await connection.send({
          method: isWrite ? 'POST' : 'GET',
          path: `/api/v1${path}`,
          headers: { 'x-api-key': BOOTSTRAP_KEY, ...(isWrite && { 'content-type': 'application/json' }) },
          ...(isWrite && { body: JSON.stringify({ type: 'CRON', name: `${name}-${turn}` }) }),
        })
        if (status !== (isWrite ? 201 : 200)) this.failures.push(`HTTP ${status} (${path})`)
      } catch (error) {
        this.failures.push(`${(error as Error).message} (${path})`)
      }
      await delay(Math.max(0, nextAt - performance.now()))
    }
    connection.close()
  }
}
