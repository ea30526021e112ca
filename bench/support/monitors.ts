import { sql } from 'kysely'
import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import type { MonitorOptions } from '../../src/contract/check-options.ts'
import type { OperationContext } from '../../src/contract/operation.ts'
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { nextOnGrid } from '../../src/monitoring/monitor-states/schedule.ts'
import { createMonitor } from '../../src/monitoring/monitors/create.ts'
import { bootstrap } from '../../src/server/bootstrap.ts'
import type { Database } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import type { ClusterNode } from '../../src/storage/nodes/node.ts'
import { startNode } from '../../src/storage/nodes/start.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { execute, q, runEach, statement } from '../../src/storage/query.ts'
import { KEY } from './processes.ts'
import { progress } from './table.ts'

export type Subject = { readonly type: string; readonly intervalSeconds: number } & Readonly<Record<string, unknown>>

/** As PHAROS_DATABASE_POOL is by default. With fewer connections reads would wait for the commits of others. */
const POOL_SIZE = 10

/** Opens SQLite in a folder, or PostgreSQL. */
export function openAny(place: string): Promise<Database> {
  const rateLimit = { quota: 1_000_000_000, windowMs: 60_000 }
  const at = place.startsWith('postgres')
    ? { databaseUrl: place, dataDir: '' }
    : { databaseUrl: undefined, dataDir: place }
  return openDatabase({ ...at, poolSize: POOL_SIZE, rateLimit }, systemClock, silentLog)
}

/** Locks are taken in the name of a node. Stop it before the database is closed. */
export function startBenchNode(database: Database): Promise<ClusterNode> {
  return startNode({ database, clock: database.clock, log: silentLog, tables: [] })
}

/** Creates an installation without monitors. */
export async function prepare(database: Database, now: number): Promise<void> {
  await migrate(database, now)
  await database.write(() => bootstrap(database.engine, KEY, now))
}

/** Creates an installation in a folder or database, and what `add` adds to it. */
export async function fill<T>(place: string, now: number, add: (to: Database) => Promise<T>): Promise<T> {
  const database = await openAny(place)
  try {
    await prepare(database, now)
    return await add(database)
  } finally {
    await database.close()
  }
}

/** Creates monitors with the operation and spreads their due times over the interval. `options` must not have secrets. */
export function fillFolder(
  dataDir: string,
  count: number,
  subject: Subject,
  now: number,
  options?: MonitorOptions,
): Promise<void> {
  return fill(dataDir, now, async (database) => {
    await addMonitors(database, count, subject, now)
    await spread(database, subject.intervalSeconds * SECOND_MS, now)
    if (options === undefined) return
    await database.write(() => execute(q.updateTable('monitors').set({ options: JSON.stringify(options) })))
  })
}

/** The same in less time: creates one monitor and copies its rows. Lists and plan limits do not count the copies. */
export function fillWithCopies(place: string, count: number, subject: Subject, now: number): Promise<void> {
  return fill(place, now, async (database) => {
    await addMonitors(database, 1, subject, now)
    await copyRows(database, 'monitors', count, { id: "id || '-' || i", seq: 'i' })
    await copyRows(database, 'monitor_states', count, {})
    await spread(database, subject.intervalSeconds * SECOND_MS, now)
  })
}

const TOGETHER = 1_000

export async function addMonitors(database: Database, count: number, subject: Subject, now: number): Promise<void> {
  const org = await database.read(organizationWithIdOrSlug('default'))
  if (org === undefined || !('handle' in createMonitor)) throw new Error('There is nothing to fill')
  const { handle } = createMonitor
  const { body } = createMonitor as unknown as { body: { properties: Record<string, { default?: unknown }> } }
  const defaults = Object.entries(body.properties).map(([name, property]) => [name, property.default])
  const input = { body: { ...Object.fromEntries(defaults), name: 'bench', ...subject } }
  const call = { caller: { orgId: org.id, plan: org.plan }, now, installation: { baseUrl: 'http://localhost' } }
  for (let created = 0; created < count; created += TOGETHER) {
    const batch = Array.from({ length: Math.min(TOGETHER, count - created) }, () =>
      database.write(() => handle(call as unknown as OperationContext, input as never)),
    )
    await Promise.all(batch)
    if (created % 10_000 === 0 && count > 10_000) progress(`${created} of ${count} monitors made`)
  }
}

const setDue = statement(({ num, at }: { num: number; at: number }) =>
  q.updateTable('monitor_states').set({ next_check_at: at }).where('num', '=', num),
)

async function spread(database: Database, intervalMs: number, now: number): Promise<void> {
  const rows = await database.read(execute(q.selectFrom('monitor_states').select('num')))
  await database.write(() =>
    runEach(
      setDue,
      rows.map(({ num }) => ({ num, at: nextOnGrid(num, intervalMs, now) })),
    ),
  )
}

/** Tables with a row per monitor. */
type Copied = 'monitors' | 'monitor_states'

/** Copies the row of the first monitor; `changed` are expressions for columns, with the number of the copy as `i`. */
export async function copyRows(
  database: Database,
  table: Copied,
  count: number,
  changed: Record<string, string>,
): Promise<void> {
  const [row] = await database.read(execute(q.selectFrom(table).selectAll().where('num', '=', 1)))
  const columns = Object.keys(row ?? {})
  const values = columns.map((column) => (column === 'num' ? 'i' : (changed[column] ?? column)))
  const numbers = `with recursive n(i) as (select 2 union all select i + 1 from n where i <= ${count})`
  const from = `select ${values.join(', ')} from n, ${table} where num = 1`
  await runSql(database, `insert into ${table} (${columns.join(', ')}) ${numbers} ${from}`)
}

export async function runSql(database: Database, text: string): Promise<void> {
  await database.write(() => execute(sql.raw(text)))
}
