/**
 * Measures how long it takes to find due checks in a filled database. Prints one line of JSON.
 *   node bench/support/claims.ts FOLDER_OR_URL NOW
 */
import { PostgresQueryCompiler, sql } from 'kysely'
import { createSealer, SEAL_KEY_BYTES } from '../../src/lib/seal.ts'
import { AssignedChecks } from '../../src/monitoring/checks/assigned-checks.ts'
import { CheckConfigCache, type SettingsEdition } from '../../src/monitoring/checks/check-config.ts'
import type { CheckSource } from '../../src/monitoring/checks/check-source.ts'
import { statesOf } from '../../src/monitoring/checks/claim.ts'
import { dueChecks, SingleNodeChecks } from '../../src/monitoring/checks/single-node-checks.ts'
import { bind, createCompiler } from '../../src/storage/compile.ts'
import type { Database } from '../../src/storage/database.ts'
import type { AnyBatch, AnyStatement, Values } from '../../src/storage/query.ts'
import { execute, q } from '../../src/storage/query.ts'
import { PortableSqliteCompiler } from '../../src/storage/sqlite/compiler.ts'
import { median } from './figures.ts'
import { openAny } from './monitors.ts'

export interface ClaimsMeasured {
  readonly claimed: number
  /** A batch whose monitor settings are cached. */
  readonly knownMs: number
  /** A batch whose settings must be read and parsed. */
  readonly unknownMs: number
  readonly sql: string
  readonly plan: readonly string[]
}

/** No monitor of the bench has secrets. */
const sealer = createSealer([Buffer.alloc(SEAL_KEY_BYTES)])
const NODE = 'bench'
const LIMIT = 250
const RUNS = 100
const WARM_UP = 30

const [place = '', now = '0'] = process.argv.slice(2)
const at = Number(now)

/** Reads all settings every time. */
class NoConfigCache extends CheckConfigCache {
  override load(editions: readonly SettingsEdition[]) {
    return new CheckConfigCache(sealer).load(editions)
  }
}

/** On PostgreSQL all monitors are assigned to this node first. */
async function sourceOn(database: Database, configs: CheckConfigCache): Promise<CheckSource> {
  if (database.engine === 'sqlite') return new SingleNodeChecks(database, configs)
  await database.write(function* () {
    yield* execute(q.deleteFrom('nodes'))
    yield* execute(q.insertInto('nodes').values({ name: NODE, started_at: 0, renewed_at: 0, monitors: 0 }))
  })
  const cluster = { isAlive: () => true, members: () => [], reportMonitors: () => {} }
  const source = new AssignedChecks({ database, configs, name: NODE, cluster })
  while ((await source.takeDue(0, LIMIT)).isMore) {}
  // As autovacuum does after many changes: until then PostgreSQL takes all monitors for unassigned and scans the table for one.
  await database.write(() => execute(sql.raw('analyze monitor_states')))
  return source
}

async function measure(database: Database, configs: CheckConfigCache): Promise<{ ms: number; claimed: number }> {
  const source = await sourceOn(database, configs)
  const times: number[] = []
  let claimed = 0
  for (let i = 0; i < WARM_UP + RUNS; i += 1) {
    const startedAt = performance.now()
    const { claims } = await source.takeDue(at, LIMIT)
    if (i >= WARM_UP) times.push(performance.now() - startedAt)
    claimed = claims.length
    // They are due again at once, and their states are read again.
    for (const claim of claims) source.settle(claim, 'stale', at)
  }
  return { ms: median(times), claimed }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** The query plan; on PostgreSQL the generic plan of a prepared statement. */
async function plan(database: Database): Promise<Pick<ClaimsMeasured, 'sql' | 'plan'>> {
  if (database.engine === 'sqlite') {
    const step = dueChecks(at, LIMIT).next().value as { statement: AnyStatement; values: Values }
    const compiled = createCompiler(new PortableSqliteCompiler())(step)
    const values = bind(compiled, step.values)
    const literal = compiled.sql.replaceAll('?', () => quoted(values.shift()))
    const rows = await database.read(execute(sql<{ detail: string }>`explain query plan ${sql.raw(literal)}`))
    return { sql: compiled.sql, plan: rows.map(({ detail }) => detail) }
  }
  const nums = Array.from({ length: LIMIT }, (_, i) => ({ num: i + 1 }))
  const { batch, list } = statesOf(nums).next().value as unknown as { batch: AnyBatch; list: readonly Values[] }
  const values = batch.arrays(list)
  const compiled = createCompiler(new PostgresQueryCompiler())({ statement: batch.together, values })
  const literals = bind(compiled, values).map((value) => `'${value}'`)
  const rows = await database.write(function* () {
    yield* execute(sql.raw('set local plan_cache_mode = force_generic_plan'))
    yield* execute(sql.raw(`prepare explained as ${compiled.sql}`))
    const lines = yield* execute(
      sql<{ 'QUERY PLAN': string }>`${sql.raw(`explain execute explained(${literals.join(', ')})`)}`,
    )
    yield* execute(sql.raw('deallocate explained'))
    return lines
  })
  return { sql: compiled.sql, plan: rows.map((row) => row['QUERY PLAN']) }
}

const database = await openAny(place)
const known = await measure(database, new CheckConfigCache(sealer))
const unknown = await measure(database, new NoConfigCache(sealer))
const measured: ClaimsMeasured = {
  claimed: known.claimed,
  knownMs: known.ms,
  unknownMs: unknown.ms,
  ...(await plan(database)),
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await database.close()
