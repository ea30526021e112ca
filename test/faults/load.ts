import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, Client, type Mutation, newRequestCounts, type RequestCounts } from '../crash/client.ts'
import { verifyAnswers, verifyReplays, verifyStorage } from '../crash/verify.ts'
import { type Ledger, writeUntil } from '../crash/writer.ts'
import { Dice } from '../support/dice.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { PharosNode } from './pharos-node.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { Site } from './site.ts'
import { Targets } from './targets.ts'

/** Other rows run at the same time, so that writers must not take the whole processor. */
const PAUSE_MS = 25

class PacedClient extends Client {
  override async mutate(mutation: Mutation): Promise<Answer> {
    await delay(PAUSE_MS)
    return await super.mutate(mutation)
  }
}

/** A node for the writers: it makes no checks, so that only they change what is stored. */
export function startWriting(site: Site, databaseUrl: string): Promise<PharosNode> {
  return PharosNode.start(site, { databaseUrl, env: { PHAROS_ROLES: 'api' } })
}

const CHECKED_MONITORS = 30

/** A node with a database of its own on the same server: it checks targets that always answer. */
export async function startChecking(
  site: Site,
  postgres: PostgresServer,
  urlOf = (name: string) => postgres.url(name),
) {
  await postgres.query('create database checking', 'postgres')
  const node = await PharosNode.start(site, { databaseUrl: urlOf('checking') })
  const targets = await Targets.start()
  const paths = await targets.createMonitors(node.client, CHECKED_MONITORS)
  return { node, targets, paths, [Symbol.asyncDispose]: () => targets[Symbol.asyncDispose]() }
}

/** Writers that create, change and delete monitors through all nodes, and repeat each request until it is acknowledged. */
export class Load {
  readonly counts: RequestCounts = newRequestCounts()
  readonly #done = new AbortController()
  readonly #failed = new AbortController()
  readonly #clients: readonly Client[]
  readonly #writing: Promise<Ledger[]>
  readonly #ports: readonly number[]

  constructor(nodes: readonly PharosNode[], writers: number) {
    this.#ports = nodes.map(({ port }) => port)
    this.#clients = Array.from({ length: writers }, (_, i) => {
      return new PacedClient(this.#ports, BOOTSTRAP_KEY, new Dice(i), this.counts, this.#failed.signal)
    })
    const writing = this.#clients.map((client, i) =>
      writeUntil(`writer-${i}`, client, new Dice(100 + i), this.#done.signal),
    )
    this.#writing = Promise.all(writing)
    this.#writing.catch((error) => this.#failed.abort(error))
  }

  /** Waits for more acknowledged writes, for a limited time. */
  async untilAnswered(more: number): Promise<void> {
    const enough = this.counts.answered + more
    const giveUpAt = performance.now() + 40_000
    while (this.counts.answered < enough && performance.now() < giveUpAt) await delay(50)
  }

  /**
   * Ends the writers and compares everything stored with what was acknowledged. Throws if something is lost or doubled. The
   * rows of the database are counted, too, if it holds nothing else. Returns how many writes were acknowledged.
   */
  async verify(databaseUrl?: string): Promise<string> {
    this.#done.abort()
    const ledgers = await this.#writing
    const reader = new Client(this.#ports, BOOTSTRAP_KEY, new Dice(1), newRequestCounts(), this.#failed.signal)
    try {
      await verifyAnswers(reader, ledgers)
      await verifyReplays(reader, ledgers, new Dice(2))
      if (databaseUrl !== undefined) await verifyStorage({ url: databaseUrl }, ledgers)
    } finally {
      for (const client of [...this.#clients, reader]) client.close()
    }
    return ledgers.reduce((sum, { answered }) => sum + answered.length, 0).toLocaleString('en')
  }
}

/** How long it takes from now until every node is ready and answers a request with 200. */
export async function recoveryMs(nodes: readonly PharosNode[], limitMs = 30_000): Promise<number> {
  const from = performance.now()
  const moments = nodes.map(async (node) => {
    while (performance.now() - from < limitMs) {
      const [ready, list] = await Promise.all([
        node.ready(2_000),
        node.client.get('/monitors?limit=1').catch(() => undefined),
      ])
      if (ready.status === 200 && list?.status === 200) return performance.now() - from
      await delay(20)
    }
    return Number.POSITIVE_INFINITY
  })
  return Math.max(...(await Promise.all(moments)))
}
