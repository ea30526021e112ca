import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../../src/storage/database.ts'
import { execute } from '../../../src/storage/query.ts'
import { type Fault, faultUntil } from '../../support/database-faults.ts'
import { eventually } from '../../support/eventually.ts'
import { urlVariable } from '../../support/postgres.ts'
import type { Client, TestServer } from '../../support/server.ts'

/** The check counters of a server's metrics. */
export interface CheckCounts {
  readonly saved: number
  readonly stale: number
  readonly inconclusive: number
  readonly underWay: number
}

export const metricsEnv = { PHAROS_METRICS_LISTEN: '127.0.0.1:0' } as const

/** Reads the metrics of a server that was started with `metricsEnv`. */
export async function checkCounts({ running: { metricsUrl } }: Pick<TestServer, 'running'>): Promise<CheckCounts> {
  assert.ok(metricsUrl !== undefined, 'PHAROS_METRICS_LISTEN is set')
  return checkCountsAt(metricsUrl)
}

export async function checkCountsAt(metricsUrl: string): Promise<CheckCounts> {
  const text = await (await fetch(metricsUrl)).text()
  const read = (name: string): number => {
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]
    assert.ok(value !== undefined, `the metrics contain ${name}`)
    return Number(value)
  }
  return {
    saved: read('pharos_checks_total'),
    stale: read('pharos_checks_overtaken_total'),
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

/** Takes, in another process or session, a lock that writing a result needs. */
export async function blockWrites(database: Database): Promise<Fault> {
  return database.engine === 'sqlite' ? lockFile(database.location) : lockRows(database.location)
}

/** Takes the write lock, reports it, and releases it at the end of its input. */
const lockHolder = `
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1], { timeout: 10_000 })
database.exec('begin immediate')
process.stdout.write('held')
process.stdin.resume().on('end', () => { database.exec('rollback'); database.close() })
`

async function lockFile(file: string): Promise<Fault> {
  const child = spawn(process.execPath, ['-e', lockHolder, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return faultUntil(() => {
    child.stdin.end()
    return ended
  })
}

/** The location names the database, but not its user. */
async function lockRows(location: string): Promise<Fault> {
  const url = new URL(process.env[urlVariable] as string)
  url.pathname = new URL(location).pathname
  const session = new pg.Client({ connectionString: url.href })
  await session.connect()
  await session.query('begin; select num from monitor_states for update')
  return faultUntil(async () => {
    await session.query('rollback')
    await session.end()
  })
}

/** Call before the request. The returned function resolves when its write waits for the lock of `blockWrites`. */
export function watchRequest(t: TestContext, server: Pick<TestServer, 'running'>): () => Promise<void> {
  const { database } = server.running
  if (database.engine === 'postgres') return () => untilLocked(database)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAwaited = false
  void observeWrites(t, server, () => {
    if (isAwaited) resolve()
  })
  return () => {
    isAwaited = true
    return promise
  }
}

async function untilLocked(database: Database): Promise<void> {
  const waiting = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => assert.notEqual((await database.read(execute(waiting))).length, 0))
}

/** Resolves when the server next tries to write. In these tests nothing but results is to be written. */
export function nextWrite(t: TestContext, server: Pick<TestServer, 'running'>): Promise<void> {
  return observeWrites(t, server, (_written, resolve) => resolve())
}

/** Resolves when a write of the server next fails. */
export function nextFailedWrite(t: TestContext, server: Pick<TestServer, 'running'>): Promise<void> {
  return observeWrites(t, server, (written, resolve) => void written.catch(resolve))
}

type Observer = (written: Promise<unknown>, resolve: () => void) => void

function observeWrites(t: TestContext, { running: { database } }: Pick<TestServer, 'running'>, observe: Observer) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const observed =
    (write: Database['write']): Database['write'] =>
    (...args) => {
      const written = write(...args)
      observe(written, resolve)
      return written
    }
  const { forOrganization } = database
  t.mock.method(database, 'write', observed(database.write.bind(database)))
  // Requests write through it.
  t.mock.method(database, 'forOrganization', (orgId: string) => {
    const own = forOrganization(orgId)
    return { ...own, write: observed(own.write) }
  })
  return promise
}
