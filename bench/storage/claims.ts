import { sql } from 'kysely'
import type { Engine } from '../../src/storage/database.ts'
import { execute } from '../../src/storage/query.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { runScript, temporaryFolder } from '../support/children.ts'
import type { ClaimsMeasured } from '../support/claims.ts'
import { median } from '../support/load.ts'
import { addMonitors, copyRows, openAny, prepare } from '../support/monitors.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 3)
const FEW = 1_000
const MANY = setting('BENCH_MONITORS', 100_000)
const DUE = 200
const INTERVAL_SECONDS = 300
/** Allows for a deeper index and a colder cache. Scanning all monitors would cost a factor of 100. */
const GOAL = 1.5

interface Place {
  readonly few: string
  readonly many: string
}

/** The cost of a claim depends on the due monitors, not on the size of the table. */
export async function claims(): Promise<boolean> {
  const now = Date.now()
  const table = new Table(
    `Claiming ${DUE} due monitors of ${FEW} and of ${MANY} (every ${INTERVAL_SECONDS} s), ${ROUNDS} rounds`,
    ['', `${FEW}: ms`, `${MANY}: ms`, 'ratio', 'goal', '', 'settings unknown: ms', 'ms', 'ratio'],
  )
  using few = temporaryFolder()
  using many = temporaryFolder()
  const outcomes = [await compared('sqlite', { few: few.path, many: many.path }, now, table)]
  const programs = findServerPrograms()
  if (programs !== null) {
    await using cluster = await startCluster(programs)
    await using fewThere = await freshDatabase(cluster.url)
    await using manyThere = await freshDatabase(cluster.url)
    outcomes.push(await compared('postgres', { few: fewThere.url, many: manyThere.url }, now, table))
  } else note('(PostgreSQL was not found: its row is missing.)')
  for (const { explained } of outcomes) note(explained)
  return outcomes.every(({ isMet }) => isMet)
}

interface Outcome {
  readonly isMet: boolean
  /** The statement and its query plan. */
  readonly explained: string
}

async function compared(engine: Engine, place: Place, now: number, table: Table): Promise<Outcome> {
  await fill(engine, place.few, FEW, now)
  await fill(engine, place.many, MANY, now)
  const rounds: { few: ClaimsMeasured; many: ClaimsMeasured }[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    progress(`${engine}: round ${i + 1} of ${ROUNDS}`)
    const measure = (side: keyof Place) => runScript<ClaimsMeasured>('claims.ts', [engine, place[side], now])
    const sides: Partial<Record<keyof Place, ClaimsMeasured>> = {}
    for (const side of i % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      sides[side] = await measure(side)
    }
    rounds.push(sides as { few: ClaimsMeasured; many: ClaimsMeasured })
  }
  progress('')
  for (const { few, many } of rounds) {
    if (few.claimed !== DUE || many.claimed !== DUE) throw new Error(`${few.claimed} and ${many.claimed} were claimed`)
  }
  const ratio = median(rounds.map(({ few, many }) => many.knownMs / few.knownMs))
  const { plan = [] } = rounds[0]?.many ?? {}
  const isMet = ratio <= GOAL && !plan.some((line) => /Seq Scan|SCAN monitor_states(?! USING)|Sort|B-TREE/i.test(line))
  table.row([
    engine === 'sqlite' ? 'SQLite' : 'PostgreSQL',
    median(rounds.map(({ few }) => few.knownMs)).toFixed(2),
    median(rounds.map(({ many }) => many.knownMs)).toFixed(2),
    ratio.toFixed(2),
    `≤ ${GOAL}`,
    verdict(isMet),
    median(rounds.map(({ few }) => few.unknownMs)).toFixed(2),
    median(rounds.map(({ many }) => many.unknownMs)).toFixed(2),
    median(rounds.map(({ few, many }) => many.unknownMs / few.unknownMs)).toFixed(2),
  ])
  return { isMet, explained: `${rounds[0]?.many.sql}\n\n    ${plan.join('\n    ')}` }
}

/** Creates one monitor with the operation and copies it. Due monitors are spread over the table. */
async function fill(engine: Engine, at: string, count: number, now: number): Promise<void> {
  progress(`${engine}: ${count} monitors`)
  const database = await openAny(engine === 'sqlite' ? { dataDir: at } : { databaseUrl: at })
  try {
    await prepare(database, now)
    const subject = { type: 'HTTP', url: 'https://example.com/health', intervalSeconds: INTERVAL_SECONDS }
    await addMonitors(database, 1, subject, now)
    await copyRows(database, 'monitors', count, {
      id: "id || '-' || i",
      seq: 'i',
    })
    const dueAt = `case when i % ${count / DUE} = 0 then ${now} - i % 1000 else ${now} + 1000 + i % ${INTERVAL_SECONDS * 1000} end`
    await copyRows(database, 'monitor_states', count, { next_check_at: dueAt })
    await database.write(() =>
      execute(sql.raw(`update monitor_states set next_check_at = ${now + 1000} where num = 1`)),
    )
    await database.write(() => execute(sql.raw('analyze')))
  } finally {
    await database.close()
  }
}
