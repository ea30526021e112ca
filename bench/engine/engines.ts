import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { startEngine, startTargets, temporaryFolder } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { median } from '../support/load.ts'
import { fillWithCopies } from '../support/monitors.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'
import { subjectOf } from './cost.ts'

const ROUNDS = setting('BENCH_ROUNDS', 2)
const CHECKS = setting('BENCH_CHECKS', 15_000)
const MONITORS = setting('BENCH_MONITORS', 12_500)
const PER_SECOND = 1_250
/** The clock runs six times as fast: an hour's roll-up is not part of it, which one in 60 checks writes. */
const INTERVAL_SECONDS = 60

const GOAL_RATIO = 1.6
const GOAL_HOT = 0.9
const GOAL_WAL_BYTES = 900

type Side = 'SQLite' | 'PostgreSQL'

/** CPU time of a complete scheduled HTTP check on both engines, and what PostgreSQL writes for it. */
export async function engines(): Promise<boolean> {
  const programs = findServerPrograms()
  if (programs === null) {
    note('(PostgreSQL was not found: the engines are not compared.)')
    return true
  }
  await using targets = await startTargets()
  await using cluster = await startCluster(programs, 'durable')
  const rounds: Record<Side, Measured>[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    const measured: Partial<Record<Side, Measured>> = {}
    const sides: Side[] = ['SQLite', 'PostgreSQL']
    for (const side of i % 2 === 0 ? sides : sides.toReversed()) {
      progress(`${side}: round ${i + 1} of ${ROUNDS}`)
      measured[side] = await (side === 'SQLite' ? onSqlite(targets.plain) : onPostgres(targets.plain, cluster.url))
    }
    rounds.push(measured as Record<Side, Measured>)
  }
  progress('')
  return print(rounds)
}

function print(rounds: readonly Record<Side, Measured>[]): boolean {
  const table = new Table(
    `CPU time per HTTP check on both engines: ${MONITORS} monitors, ${CHECKS} checks a side at ${PER_SECOND} a second, ${ROUNDS} rounds, Node ${process.version}`,
    ['', 'node µs', 'server µs', 'sum µs', 'ratio', 'goal', 'WAL bytes', 'goal', 'HOT', 'goal', 'checks a commit', ''],
  )
  const over = (of: (round: Record<Side, Measured>) => number): number => median(rounds.map(of))
  const nodeUs = ({ cpuUs, checks }: Measured): number => cpuUs / checks
  const serverUs = ({ postgres, checks }: Measured): number => (postgres?.cpuUs ?? 0) / checks
  const sumUs = (measured: Measured): number => nodeUs(measured) + serverUs(measured)
  const sqlite = over(({ SQLite }) => nodeUs(SQLite)).toFixed(0)
  table.row(['SQLite', sqlite, '', sqlite, '', '', '', '', '', '', '', ''])
  const ratio = over(({ SQLite, PostgreSQL }) => sumUs(PostgreSQL) / sumUs(SQLite))
  const walBytes = over(({ PostgreSQL: { postgres, checks } }) => (postgres?.walBytes ?? 0) / checks)
  const hot = over(({ PostgreSQL: { postgres } }) => (postgres?.hotUpdates ?? 0) / (postgres?.updates || 1))
  const isMet = ratio <= GOAL_RATIO && walBytes <= GOAL_WAL_BYTES && hot >= GOAL_HOT
  table.row([
    'PostgreSQL',
    over(({ PostgreSQL }) => nodeUs(PostgreSQL)).toFixed(0),
    over(({ PostgreSQL }) => serverUs(PostgreSQL)).toFixed(0),
    over(({ PostgreSQL }) => sumUs(PostgreSQL)).toFixed(0),
    ratio.toFixed(2),
    `≤ ${GOAL_RATIO}`,
    walBytes.toFixed(0),
    `≤ ${GOAL_WAL_BYTES}`,
    `${(100 * hot).toFixed(1)} %`,
    `≥ ${100 * GOAL_HOT} %`,
    over(({ PostgreSQL: { postgres, checks } }) => checks / (postgres?.commits || 1)).toFixed(1),
    verdict(isMet),
  ])
  const images = over(({ PostgreSQL: { postgres, checks } }) => (postgres?.pageImages ?? 0) / checks)
  note(`(The WAL includes ${images.toFixed(3)} page images a check, which follow a checkpoint.)`)
  return isMet
}

async function onSqlite(url: string): Promise<Measured> {
  using folder = temporaryFolder()
  const now = Date.now()
  await fillWithCopies({ dataDir: folder.path }, MONITORS, subject(url), now)
  // Awaited here, because the folder is removed at the end.
  return await measured(folder.path, now)
}

async function onPostgres(url: string, server: string): Promise<Measured> {
  await using database = await freshDatabase(server)
  const now = Date.now()
  await fillWithCopies({ databaseUrl: database.url }, MONITORS, subject(url), now)
  return await measured(database.url, now)
}

const subject = (url: string) => ({ ...subjectOf('HTTP', url), intervalSeconds: INTERVAL_SECONDS })

async function measured(place: string, now: number): Promise<Measured> {
  const speed = (PER_SECOND * INTERVAL_SECONDS) / MONITORS
  await using engine = await startEngine(place, now, speed)
  await engine.measure({ checks: CHECKS })
  const cost = await engine.measure({ checks: CHECKS })
  if (cost.notUp > 0) throw new Error(`${cost.notUp} of ${MONITORS} monitors are not up`)
  return cost
}
