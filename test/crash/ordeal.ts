import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Engine } from '../../src/storage/database.ts'
import { freshDatabase } from '../support/postgres.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { Client, newTally, type Tally } from './client.ts'
import { freePort, Node } from './node.ts'
import { Random } from './random.ts'
import { verifyAnswers, verifyReplays, verifyStorage } from './verify.ts'
import { write } from './writer.ts'

export interface Plan {
  readonly engine: Engine
  readonly seed: number
  /** Nodes that share the database; SQLite has one. */
  readonly nodes: number
  readonly writers: number
  /** How often each node is killed. */
  readonly killsPerNode: number
  /** How long a node may live at most before it is killed again. */
  readonly longestLifeMs: number
  /** How often all nodes lose all their connections to the database at once. */
  readonly cuts: number
}

/** Writers at work while nodes die and come back; in the end everything is held against what was acknowledged. */
export async function ordeal(plan: Plan): Promise<Tally & { kills: number }> {
  await using ground = await prepare(plan)
  const { nodes, where } = ground
  const tally = newTally()
  const ports = nodes.map((node) => node.port)
  const chanceOf = (part: number) => new Random(plan.seed * 1_000 + part)
  await Promise.all(nodes.map((node) => node.start()))

  const enough = new AbortController()
  const failed = new AbortController()
  const orFail = <T>(part: Promise<T>): Promise<T> =>
    part.catch((error: unknown) => {
      enough.abort()
      failed.abort(error)
      throw error
    })
  const newClient = (part: number, counts: Tally) =>
    new Client(ports, BOOTSTRAP_KEY, chanceOf(part), counts, failed.signal)
  const clients = Array.from({ length: plan.writers }, (_, i) => newClient(i, tally))
  const writing = clients.map((client, i) => orFail(write(`writer-${i}`, client, chanceOf(100 + i), enough.signal)))
  const killing = nodes.map((node, i) => orFail(killAgainAndAgain(node, plan, chanceOf(200 + i), enough.signal)))
  if ('url' in where) killing.push(orFail(cutAgainAndAgain(where.url, plan, chanceOf(250), enough.signal)))
  await Promise.allSettled(killing)
  enough.abort()
  await Promise.allSettled(writing)
  failed.signal.throwIfAborted()
  const ledgers = await Promise.all(writing)
  const auditor = newClient(300, newTally())
  await verifyAnswers(auditor, ledgers)
  await verifyReplays(auditor, ledgers, chanceOf(301))
  for (const client of [...clients, auditor]) client.close()
  await Promise.all(nodes.map((node) => node.stop()))
  await verifyStorage(where, ledgers)
  return { ...tally, kills: plan.killsPerNode * nodes.length }
}

async function killAgainAndAgain(
  node: Node,
  { killsPerNode, longestLifeMs }: Plan,
  random: Random,
  until: AbortSignal,
): Promise<void> {
  for (let i = 0; i < killsPerNode && !until.aborted; i += 1) {
    await delay(random.between(0, longestLifeMs))
    await node.kill()
    await node.start()
  }
}

async function cutAgainAndAgain(url: string, { cuts }: Plan, random: Random, until: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (let i = 0; i < cuts && !until.aborted; i += 1) {
    await delay(random.between(200, 1_500))
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  await client.end()
}

async function prepare({ engine, nodes: count }: Plan) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-crash-'))
  const database = engine === 'postgres' ? await freshDatabase() : undefined
  const env = {
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    PHAROS_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_LOG_LEVEL: 'error',
    // No checker: what is stored must be what the writers were told.
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
