import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/open.ts'

/** Where the tests' PostgreSQL listens; the global setup sets it, every test process inherits it. */
export const urlVariable = 'PHAROS_TEST_PG_URL'
/** The name of a migrated database, to be copied. */
const templateVariable = 'PHAROS_TEST_PG_TEMPLATE'

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string
  drop(): Promise<void>
}

/** An empty database of its own for a test file. Close what is connected to it before dropping it. */
export function freshDatabase(server?: string): Promise<FreshDatabase> {
  return createDatabase('', server)
}

/** A database of its own with all migrations applied: a copy, which takes a quarter of the time. */
export function migratedDatabase(): Promise<FreshDatabase> {
  const template = process.env[templateVariable]
  return createDatabase(template ? `template ${template}` : '')
}

async function createDatabase(options: string, server = process.env[urlVariable]): Promise<FreshDatabase> {
  if (!server) throw new Error(`${urlVariable} is not set: run tests by "npm test" or "node scripts/test.ts FILE".`)
  // The second of its creation is in the name, so that a later run can tell a forgotten one from one in use.
  const name = `pharos_test_${Math.floor(Date.now() / 1000)}_${randomBytes(6).toString('hex')}`
  await query(server, `create database ${name} ${options}`)
  const drop = async () => {
    await query(server, `drop database if exists ${name} with (force)`)
  }
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop, [Symbol.asyncDispose]: drop }
}

/** A connection beside those of servers, for as long as it is `await using`. What it has not committed is rolled back then. */
export async function connectTo(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Prepares the database that `migratedDatabase` copies, for this process and those that it starts. */
export async function createTemplate(server: string): Promise<FreshDatabase> {
  const template = await createDatabase('', server)
  const options = { databaseUrl: template.url, poolSize: 1, dataDir: '', rateLimit: { quota: 1, windowMs: 1_000 } }
  const database = await openDatabase(options, systemClock, silentLog)
  try {
    await migrate(database, Date.now())
  } finally {
    await database.close()
  }
  const [{ version } = {}] = await query(server, `select current_setting('server_version_num')::int as version`)
  // Copying files takes less than logging every page; PostgreSQL 14 knows no other way.
  const copied = Number(version) >= 150_000 ? ' strategy file_copy' : ''
  process.env[templateVariable] = `${new URL(template.url).pathname.slice(1)}${copied}`
  return template
}

/** A server that outlives the run keeps what an interrupted run created; a day later no run can still be using it. */
export async function dropForgottenDatabases(server: string): Promise<void> {
  const dayAgo = Math.floor(Date.now() / 1000) - 24 * 60 * 60
  const rows = await query(server, `select datname from pg_database where datname like 'pharos\\_test\\_%'`)
  for (const { datname } of rows) {
    const createAt = Number(/^pharos_test_(\d+)_[0-9a-f]{12}$/.exec(String(datname))?.[1] ?? Number.NaN)
    if (createAt < dayAgo) await query(server, `drop database if exists ${datname} with (force)`)
  }
}

/** One per server: a new connection costs PostgreSQL 5 ms of CPU time. An idle one does not keep the process alive. */
const pools = new Map<string, pg.Pool>()

async function query(server: string, sql: string): Promise<Record<string, unknown>[]> {
  const pool = pools.get(server) ?? newPool(server)
  return (await pool.query(sql)).rows
}

function newPool(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // An idle connection that was lost is replaced by the next query.
  pool.on('error', () => undefined)
  pools.set(server, pool)
  return pool
}
