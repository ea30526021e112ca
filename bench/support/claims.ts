/**
 * Measures claims on a filled database. Prints one line of JSON.
 *   node bench/support/claims.ts sqlite|postgres FOLDER_OR_URL NOW
 */
import { PostgresQueryCompiler, sql } from 'kysely'
import { createSealer, SEAL_KEY_BYTES } from '../../src/lib/seal.ts'
import { CheckConfigCache } from '../../src/monitoring/checks/check-config.ts'
import { type Claim, type ClaimedChecks, claimDue, claimWithoutLease } from '../../src/monitoring/checks/claim.ts'
import { StateCache } from '../../src/monitoring/checks/state-cache.ts'
import { bind, createCompiler } from '../../src/storage/compile.ts'
import type { Database } from '../../src/storage/database.ts'
import { type DbWork, execute, type QueryStep } from '../../src/storage/query.ts'
import { PortableSqliteCompiler } from '../../src/storage/sqlite/compiler.ts'
import { openAny } from './monitors.ts'
import { percentileOf } from './table.ts'

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

const [engine = 'sqlite', location = '', now = '0'] = process.argv.slice(2)
const at = Number(now)

function work(setups: CheckConfigCache): DbWork<ClaimedChecks> {
  if (engine === 'postgres') return claimDue(NODE, at, LIMIT, setups)
  return claimWithoutLease({ underWay: new Set(), states: new StateCache(), configs: setups }, at, LIMIT)
}

/** Times the claim, then makes the same monitors due again. */
async function claim(
  database: Database,
  setups: CheckConfigCache,
): Promise<{ claims: readonly Claim[]; tookMs: number }> {
  const startedAt = performance.now()
  const { claims } = await (engine === 'sqlite' ? database.read(work(setups)) : database.write(() => work(setups)))
  const tookMs = performance.now() - startedAt
  if (engine === 'postgres') {
    await database.write(() =>
      execute(
        sql`update monitor_states set claimed_by = null, next_check_at = cast(${at} as bigint) - num % 1000 where claimed_by = ${NODE}`,
      ),
    )
  }
  return { claims, tookMs }
}

async function median(database: Database, setupsOf: () => CheckConfigCache): Promise<{ ms: number; claimed: number }> {
  const times: number[] = []
  let claimed = 0
  for (let i = 0; i < WARM_UP + RUNS; i += 1) {
    const { claims, tookMs } = await claim(database, setupsOf())
    claimed = claims.length
    if (i >= WARM_UP) times.push(tookMs)
  }
  return { ms: percentileOf(times, 0.5), claimed }
}

/** The query plan; on PostgreSQL the generic plan of a prepared statement. */
async function plan(database: Database): Promise<Pick<ClaimsMeasured, 'sql' | 'plan'>> {
  const step = work(new CheckConfigCache(sealer)).next().value as QueryStep & {
    values: Readonly<Record<string, unknown>>
  }
  const compiled = createCompiler(engine === 'sqlite' ? new PortableSqliteCompiler() : new PostgresQueryCompiler())(
    step,
  )
  const values = bind(compiled, step.values)
  if (engine === 'sqlite') {
    const literal = compiled.sql.replaceAll('?', () => String(values.shift()))
    const rows = await database.read(execute(sql<{ detail: string }>`explain query plan ${sql.raw(literal)}`))
    return { sql: compiled.sql, plan: rows.map(({ detail }) => detail) }
  }
  const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(', ')
  const rows = await database.write(function* () {
    yield* execute(sql.raw('set local plan_cache_mode = force_generic_plan'))
    yield* execute(sql.raw(`prepare explained as ${compiled.sql}`))
    const lines = yield* execute(sql<{ 'QUERY PLAN': string }>`${sql.raw(`explain execute explained(${literals})`)}`)
    yield* execute(sql.raw('deallocate explained'))
    return lines
  })
  return { sql: compiled.sql, plan: rows.map((row) => row['QUERY PLAN']) }
}

const database = await openAny(engine === 'sqlite' ? { dataDir: location } : { databaseUrl: location })
const setups = new CheckConfigCache(sealer)
const known = await median(database, () => setups)
const unknown = await median(database, () => new CheckConfigCache(sealer))
const measured: ClaimsMeasured = {
  claimed: known.claimed,
  knownMs: known.ms,
  unknownMs: unknown.ms,
  ...(await plan(database)),
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await database.close()
