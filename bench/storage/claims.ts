import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { runScript, temporaryFolder } from '../support/children.ts'
import type { ClaimsMeasured } from '../support/claims.ts'
import { addMonitors, copyRows, fill, runSql } from '../support/monitors.ts'
import { inRounds, over } from '../support/rounds.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 3)
const FEW = 1_000
const MANY = setting('BENCH_MONITORS', 100_000)
const DUE = 200
const INTERVAL_SECONDS = 300
/** Allows for a deeper index and a colder cache. Scanning all monitors would cost a factor of 100. */
const GOAL = 1.5

/** The cost of a claim depends on the due monitors, not on the size of the table. */
export async function claims(): Promise<boolean> {
  const now = Date.now()
  const table = new Table(
    `Claiming ${DUE} due monitors of ${FEW} and of ${MANY} (every ${INTERVAL_SECONDS} s), ${ROUNDS} rounds`,
    ['', `${FEW}: ms`, `${MANY}: ms`, 'ratio', 'goal', '', 'settings unknown: ms', 'ms', 'ratio'],
  )
  using few = temporaryFolder()
  using many = temporaryFolder()
  const outcomes = [await compared('SQLite', few.path, many.path, now, table)]
  const programs = findServerPrograms()
  if (programs !== null) {
    await using cluster = await startCluster(programs)
    await using fewThere = await freshDatabase(cluster.url)
    await using manyThere = await freshDatabase(cluster.url)
    outcomes.push(await compared('PostgreSQL', fewThere.url, manyThere.url, now, table))
  } else note('(PostgreSQL was not found: its row is missing.)')
  for (const { explained } of outcomes) note(explained)
  return outcomes.every(({ isMet }) => isMet)
}

interface Outcome {
  readonly isMet: boolean
  /** The statement and its query plan. */
  readonly explained: string
}

async function compared(engine: string, few: string, many: string, now: number, table: Table): Promise<Outcome> {
  await fillWithDue(few, FEW, now)
  await fillWithDue(many, MANY, now)
  const rounds = await inRounds(ROUNDS, {
    few: () => runScript<ClaimsMeasured>('claims.ts', [few, now]),
    many: () => runScript<ClaimsMeasured>('claims.ts', [many, now]),
  })
  for (const { few, many } of rounds) {
    if (few.claimed !== DUE || many.claimed !== DUE) throw new Error(`${few.claimed} and ${many.claimed} were claimed`)
  }
  const ratio = over(rounds, ({ few, many }) => many.knownMs / few.knownMs)
  const { plan = [], sql } = rounds[0]?.many ?? {}
  const isMet = ratio <= GOAL && !plan.some((line) => /Seq Scan|SCAN monitor_states(?! USING)|Sort|B-TREE/i.test(line))
  table.row([
    engine,
    over(rounds, ({ few }) => few.knownMs).toFixed(2),
    over(rounds, ({ many }) => many.knownMs).toFixed(2),
    ratio.toFixed(2),
    `≤ ${GOAL}`,
    verdict(isMet),
    over(rounds, ({ few }) => few.unknownMs).toFixed(2),
    over(rounds, ({ many }) => many.unknownMs).toFixed(2),
    over(rounds, ({ few, many }) => many.unknownMs / few.unknownMs).toFixed(2),
  ])
  return { isMet, explained: `${sql}\n\n    ${plan.join('\n    ')}` }
}

/** Creates one monitor with the operation and copies it. Due monitors are spread over the table. */
function fillWithDue(place: string, count: number, now: number): Promise<void> {
  progress(`${count} monitors`)
  return fill(place, now, async (database) => {
    const subject = { type: 'HTTP', url: 'https://example.com/health', intervalSeconds: INTERVAL_SECONDS }
    await addMonitors(database, 1, subject, now)
    await copyRows(database, 'monitors', count, { id: "id || '-' || i", seq: 'i' })
    const dueAt = `case when i % ${count / DUE} = 0 then ${now} - i % 1000 else ${now} + 1000 + i % ${INTERVAL_SECONDS * 1000} end`
    await copyRows(database, 'monitor_states', count, { next_check_at: dueAt })
    await runSql(database, `update monitor_states set next_check_at = ${now + 1000} where num = 1`)
    await runSql(database, 'analyze')
  })
}
