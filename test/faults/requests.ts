import { setTimeout as delay } from 'node:timers/promises'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import type { PharosNode } from './pharos-node.ts'

export interface Sent {
  readonly kind: 'read' | 'write' | 'readyz'
  readonly node: PharosNode
  readonly sentAt: number
  readonly endedAt: number
  /** Null without an answer. */
  readonly status: number | null
  readonly body: string
}

const EVERY_MS = 200
/** Far above every limit, so that a longer wait is measured. */
const GIVE_UP_MS = 40_000

/**
 * Sends a read, a write and a question for readiness to every node five times a second, without waiting for the answers.
 * Every write has a key of its own.
 */
export class Requests {
  readonly all: Sent[] = []
  /** Keys of all writes that were tried. */
  readonly keys: string[] = []
  readonly #done = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #sending: Promise<unknown>

  constructor(nodes: readonly PharosNode[]) {
    this.#sending = Promise.all(nodes.map((node, i) => this.#send(node, `${i}`)))
  }

  async #send(node: PharosNode, name: string): Promise<void> {
    for (let turn = 0; !this.#done.signal.aborted; turn += 1) {
      const key = `${name}-${turn}`
      this.keys.push(key)
      this.#start('read', node, `${node.url}/api/v1/monitors?limit=5`, { headers: { 'x-api-key': BOOTSTRAP_KEY } })
      this.#start('readyz', node, `${node.url}/readyz`, {})
      this.#start('write', node, `${node.url}/api/v1/monitors`, writeOf(key))
      await delay(EVERY_MS)
    }
  }

  #start(kind: Sent['kind'], node: PharosNode, url: string, options: RequestInit): void {
    const sentAt = performance.now()
    const add = (status: number | null, body: string): void => {
      this.all.push({ kind, node, sentAt, endedAt: performance.now(), status, body })
    }
    const running = fetch(url, { ...options, signal: AbortSignal.timeout(GIVE_UP_MS) })
      .then(async (response) => add(response.status, await response.text()))
      .catch((error: Error) => add(null, error.message))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Stops sending and waits for all answers. */
  async end(): Promise<void> {
    this.#done.abort()
    await this.#sending
    await Promise.all(this.#running)
  }

  /** Repeats every write with its key. Returns how many monitors there are more or less than writes. */
  async lostOrDoubled(node: PharosNode, others = 0): Promise<number> {
    for (const key of this.keys) {
      const response = await fetch(`${node.url}/api/v1/monitors`, writeOf(key))
      await response.text()
      if (response.status !== 201) return Number.POSITIVE_INFINITY
    }
    const { body } = await node.client.get('/monitors?limit=1')
    return Math.abs(body.pagination.total - others - this.keys.length)
  }
}

function writeOf(key: string): RequestInit {
  return {
    method: 'POST',
    headers: { 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json', 'idempotency-key': key },
    // It waits for a job, so it is never checked.
    body: JSON.stringify({ type: 'CRON', name: key }),
  }
}
