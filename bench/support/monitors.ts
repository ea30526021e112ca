import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import type { OperationContext } from '../../src/contract/operation.ts'
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { nextCheckAt } from '../../src/monitoring/monitor-states/schedule.ts'
import { createMonitor } from '../../src/monitoring/monitors/create.ts'
import { bootstrap } from '../../src/server/bootstrap.ts'
import type { Database } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/open.ts'
import { execute, q, runEach, statement } from '../../src/storage/query.ts'
import { KEY } from './processes.ts'
import { progress } from './table.ts'

export type Subject = { readonly type: string; readonly intervalSeconds: number } & Readonly<Record<string, unknown>>

/** A data folder or a PostgreSQL database. */
export type Place = { readonly dataDir: string } | { readonly databaseUrl: string }

/** Opens SQLite in a folder, or PostgreSQL. */
export function openAny(at: Place): Promise<Database> {
  const rule = { quota: 1_000_000_000, windowMs: 60_000 }
  const place = { databaseUrl: undefined, dataDir: '', ...at }
  return openDatabase({ ...place, poolSize: 2, rateLimit: rule }, systemClock, silentLog)
}

/** Creates an installation without monitors. */
export async function prepare(database: Database, now: number): Promise<void> {
  await migrate(database, now)
  await database.write(() => bootstrap(database.engine, KEY, now))
}

/** Creates monitors with the operation and spreads their due times over the interval. */
export function fillFolder(dataDir: string, count: number, subject: Subject, now: number): Promise<void> {
  return fill({ dataDir }, count, subject, now)
}

export async function fill(place: Place, count: number, subject: Subject, now: number): Promise<void> {
  const database = await openAny(place)
  try {
    await prepare(database, now)
    await addMonitors(database, count, subject, now)
    await spread(database, subject.intervalSeconds * SECOND_MS, now)
  } finally {
    await database.close()
  }
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
  for (let made = 0; made < count; made += TOGETHER) {
    const batch = Array.from({ length: Math.min(TOGETHER, count - made) }, () =>
      database.write(() => handle(call as unknown as OperationContext, input as never)),
    )
    await Promise.all(batch)
    if (made % 10_000 === 0 && count > 10_000) progress(`${made} of ${count} monitors made`)
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
      rows.map(({ num }) => ({ num, at: nextCheckAt(num, intervalMs, now) })),
    ),
  )
}
