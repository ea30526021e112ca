import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../src/storage/database.ts'
import { Dice } from '../support/dice.ts'
import { freePort } from '../support/ports.ts'
import { connectTo, freshDatabase } from '../support/postgres.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { Client, newRequestCounts, type RequestCounts } from './client.ts'
import { Node } from './node.ts'
import { verifyAnswers, verifyReplays, verifyStorage } from './verify.ts'
import { writeUntil } from './writer.ts'

/** More than there are writers, so that each gets one. */
const RESPONSES_BEFORE_KILL = 12

export interface Plan {
  readonly engine: Engine
  readonly seed: number
  /** Nodes that share the database; SQLite has one. */
  readonly nodes: number
  readonly writers: number
  /** How often each node is killed. */
  readonly killsPerNode: number
  /** The longest time from a start to the next kill. */
  readonly maxUptimeMs: number
  /** How often all nodes lose all their database connections at once. */
  readonly connectionCuts: number
}

/** Writers work while nodes are killed and restarted. Then everything is compared with what was acknowledged. */
export async function runUnderKills(plan: Plan): Promise<RequestCounts> {
  await using ground = await prepare(plan)
  const { nodes, where } = ground
  const counts = newRequestCounts()
  const ports = nodes.map((node) => node.port)
  const randomOf = (part: number) => new Dice(plan.seed * 1_000 + part)
  await Promise.all(nodes.map((node) => node.start()))

  const done = new AbortController()
  const failed = new AbortController()
  const orFail = <T>(part: Promise<T>): Promise<T> =>
    part.catch((error: unknown) => {
      done.abort()
      failed.abort(error)
      throw error
    })
  const newClient = (part: number, into: RequestCounts) =>
    new Client(ports, BOOTSTRAP_KEY, randomOf(part), into, failed.signal)
  const clients = Array.from({ length: plan.writers }, (_, i) => newClient(i, counts))
  const writing = clients.map((client, i) => orFail(writeUntil(`writer-${i}`, client, randomOf(100 + i), done.signal)))
  const killing = nodes.map((node, i) => orFail(killRepeatedly(node, plan, randomOf(200 + i), counts, done.signal)))
  if ('url' in where) killing.push(orFail(cutConnectionsRepeatedly(where.url, plan, randomOf(250), done.signal)))
  await Promise.allSettled(killing)
  done.abort()
  await Promise.allSettled(writing)
  failed.signal.throwIfAborted()
  const ledgers = await Promise.all(writing)
  const reader = newClient(300, newRequestCounts())
  await verifyAnswers(reader, ledgers)
  await verifyReplays(reader, ledgers, randomOf(301))
  for (const client of [...clients, reader]) client.close()
  await Promise.all(nodes.map((node) => node.kill()))
  await verifyStorage(where, ledgers)
  return counts
}

async function killRepeatedly(
  node: Node,
  { killsPerNode, maxUptimeMs }: Plan,
  random: Dice,
  counts: RequestCounts,
  until: AbortSignal,
): Promise<void> {
  for (let i = 0; i < killsPerNode && !until.aborted; i += 1) {
    // Every second kill waits for some responses: on a busy machine a node might otherwise never live long enough for one.
    const enough = counts.answered + (i % 2) * RESPONSES_BEFORE_KILL
    while (counts.answered < enough && !until.aborted) await delay(10)
    await delay(random.between(0, maxUptimeMs))
    await node.kill()
    await node.start()
  }
}

async function cutConnectionsRepeatedly(
  url: string,
  { connectionCuts }: Plan,
  random: Dice,
  until: AbortSignal,
): Promise<void> {
  await using client = await connectTo(url)
  for (let i = 0; i < connectionCuts && !until.aborted; i += 1) {
    await delay(random.between(200, 1_500))
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
}

async function prepare({ engine, nodes: count }: Plan) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-crash-'))
  const database = engine === 'postgres' ? await freshDatabase() : undefined
  const env = {
    PHAROS_RATE_LIMIT: '1000000000',
    // No checker: only the writers change what is stored.
    PHAROS_ROLES: 'api',
    PHAROS_BASE_URL: 'http://pharos.test',
    ...(database === undefined ? { PHAROS_DATA_DIR: folder } : { DATABASE_URL: database.url }),
  }
  const nodes: Node[] = []
  for (let i = 0; i < count; i += 1) {
    nodes.push(new Node(await freePort(), { ...env, ...(database && { PHAROS_DATA_DIR: join(folder, `${i}`) }) }))
  }
  return {
    nodes,
    where: database === undefined ? { file: join(folder, 'pharos.db') } : { url: database.url },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.kill()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
