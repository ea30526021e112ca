import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import type { Database } from '../../../src/storage/database.ts'
import { urlVariable } from '../../support/postgres.ts'
import type { Client, TestServer } from '../../support/server.ts'

/** What a server says of its checks where its operator looks. */
export interface Counted {
  readonly landed: number
  readonly overtaken: number
  readonly inconclusive: number
  readonly underWay: number
}

export const showMetrics = { PHAROS_METRICS_LISTEN: '127.0.0.1:0' } as const

/** Reads the metrics of a server that was told to show them. */
export async function counted({ running: { metricsUrl } }: Pick<TestServer, 'running'>): Promise<Counted> {
  assert.ok(metricsUrl !== undefined, 'PHAROS_METRICS_LISTEN is set')
  return countedAt(metricsUrl)
}

export async function countedAt(metricsUrl: string): Promise<Counted> {
  const text = await (await fetch(metricsUrl)).text()
  const read = (name: string): number => {
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]
    assert.ok(value !== undefined, `the metrics tell of ${name}`)
    return Number(value)
  }
  return {
    landed: read('pharos_checks_total'),
    overtaken: read('pharos_checks_overtaken_total'),
    inconclusive: read('pharos_checks_inconclusive_total'),
    underWay: read('pharos_checks_under_way'),
  }
}

export async function statesOf(client: Client): Promise<readonly string[]> {
  return (await client.get('/monitors?limit=100')).body.data.map(({ state }: { state: string }) => state)
}

export async function expectNoIncident(client: Client): Promise<void> {
  assert.deepEqual((await client.get('/incidents')).body.data, [])
}

/** Something in everybody's way, until it is released; at the end of the test at the latest. */
export interface Obstacle extends AsyncDisposable {
  release(): Promise<void>
}

function obstacle(remove: () => Promise<unknown>): Obstacle {
  let removed: Promise<unknown> | undefined
  const release = async (): Promise<void> => {
    removed ??= remove()
    await removed
  }
  return { release, [Symbol.asyncDispose]: release }
}

/** From another process, or another session, takes what everybody must have who writes a result. */
export async function holdWriters(database: Database): Promise<Obstacle> {
  return database.engine === 'sqlite' ? holdFile(database.location) : holdRows(database.location)
}

/** Takes the write lock, says so, and lets go of it at the end of its input. */
const holder = `
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1], { timeout: 10_000 })
database.exec('begin immediate')
process.stdout.write('held')
process.stdin.resume().on('end', () => { database.exec('rollback'); database.close() })
`

async function holdFile(file: string): Promise<Obstacle> {
  const child = spawn(process.execPath, ['-e', holder, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return obstacle(() => {
    child.stdin.end()
    return ended
  })
}

async function holdRows(url: string): Promise<Obstacle> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query('begin; select num from monitor_states for update')
  return obstacle(async () => {
    await session.query('rollback')
    await session.end()
  })
}

/** Cuts every connection to a PostgreSQL database and lets nobody in: for its users it is as if it restarted. */
export async function cutOff(url: string): Promise<Obstacle> {
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: process.env[urlVariable] as string })
  await admin.connect()
  const letIn = (who: boolean) => admin.query(`alter database ${name} with allow_connections ${who}`)
  await letIn(false)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  return obstacle(async () => {
    await letIn(true)
    await admin.end()
  })
}
