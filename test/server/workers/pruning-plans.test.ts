import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresQueryCompiler, sql } from 'kysely'
import { pruneAuditEntries } from '../../../src/events/audit.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { pruneSteps } from '../../../src/server/workers/housekeeping.ts'
import { bind, createCompiler } from '../../../src/storage/compile.ts'
import type { Database } from '../../../src/storage/database.ts'
import { type DbWork, execute, type QueryStep, type Step } from '../../../src/storage/query.ts'
import { PortableSqliteCompiler } from '../../../src/storage/sqlite/compiler.ts'
import { startApi, useApi } from '../../support/api.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'

/** These have a row per deleted endpoint, page or monitor, for a short time, and are read with a limit. */
const SMALL_TABLES = ['webhook_tombstones', 'subscriber_tombstones', 'result_tombstones']

forEachEngine('housekeeping', (engine) => {
  const api = useApi(engine)

  for (const { doing, step } of pruneSteps) {
    test(`${doing} scans no large table`, async () => {
      const { database } = api.server.running
      const statements: QueryStep[] = []
      await database.write(() => recorded(step(Date.now()), statements))
      assert.ok(statements.length > 0)
      for (const statement of statements) {
        const plan = await planOf(database, statement)
        assert.deepEqual(scansIn(plan), [], plan.join('\n'))
      }
    })
  }
})

test('PostgreSQL looks up the rows to delete one by one in a large table', { skip: withoutPostgres }, async () => {
  const api = await startApi('postgres')
  await using _ = api.server
  const { database } = api.server.running
  const { orgId } = await api.tenant()
  await database.write(function* () {
    yield* execute(sql`
      insert into audit_entries (org_id, id, at, actor_type, actor_id, actor_name, action, fields)
      select ${orgId}, 'aud_' || i, i, 'user', 'usr', 'Ada', 'updateMonitor', '[]' from generate_series(1, 50000) as i`)
    yield* execute(sql`analyze audit_entries`)
  })
  const statements: QueryStep[] = []
  await database.write(() => recorded(pruneAuditEntries(366 * DAY_MS, 500), statements))
  const compiled = createCompiler(new PostgresQueryCompiler())(statements[0] as never)
  const plan = await database.write(function* () {
    // As after the first few executions of the prepared statement.
    yield* execute(sql`set local plan_cache_mode = force_generic_plan`)
    yield* execute(sql.raw(`prepare explained as ${compiled.sql}`))
    const rows = yield* execute(sql<{ 'QUERY PLAN': string }>`explain execute explained (${sql.lit(DAY_MS)}, 500)`)
    yield* execute(sql`deallocate explained`)
    return rows.map((row) => row['QUERY PLAN'])
  })
  assert.deepEqual(scansIn(plan), [], plan.join('\n'))
  assert.ok(
    plan.some((line) => line.includes('Nested Loop')),
    plan.join('\n'),
  )
})

/** The work, with its steps noted. */
function* recorded<T>(work: DbWork<T>, steps: QueryStep[]): DbWork<T> {
  let next = work.next()
  while (next.done !== true) {
    const step: Step = next.value
    if ('together' in step) steps.push(...step.together)
    else if (!('notices' in step || 'snapshot' in step || 'portion' in step)) steps.push(step)
    next = work.next(yield step)
  }
  return next.value
}

async function planOf(database: Database, step: QueryStep): Promise<string[]> {
  const isSqlite = database.engine === 'sqlite'
  const compile = createCompiler(isSqlite ? new PortableSqliteCompiler() : new PostgresQueryCompiler())
  const values = 'values' in step ? step.values : 'list' in step ? step.list[0] : undefined
  const compiled = compile(step as never)
  const bound = [...bind(compiled, values)]
  if (isSqlite) {
    const text = compiled.sql.replaceAll('?', () => literal(bound.shift()))
    const rows = await database.read(execute(sql<{ detail: string }>`explain query plan ${sql.raw(text)}`))
    return rows.map(({ detail }) => detail)
  }
  const text = compiled.sql.replaceAll(/\$(\d+)/g, (_, n) => literal(bound[Number(n) - 1]))
  const rows = await database.write(function* () {
    // On empty tables the planner prefers scans and sorts, unless it has to do without.
    yield* execute(sql`set local enable_seqscan = off`)
    yield* execute(sql`set local enable_sort = off`)
    return yield* execute(sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(text)}`)
  })
  return rows.map((row) => row['QUERY PLAN'])
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** Lines of a plan that read a whole table, or that sort one because no index has the order. */
function scansIn(plan: readonly string[]): string[] {
  return plan.filter((line) => {
    const [, table] = /\bSCAN (\w+)|Seq Scan on (\w+)/.exec(line)?.filter(Boolean) ?? []
    if (table !== undefined) return table !== 'old_rows' && !SMALL_TABLES.includes(table)
    return /USE TEMP B-TREE FOR ORDER BY|\bSort\b/.test(line)
  })
}
