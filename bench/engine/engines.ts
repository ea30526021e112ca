import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { startEngine, startTargets, temporaryFolder } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { fillWithCopies } from '../support/monitors.ts'
import type { PostgresCounters } from '../support/postgres-counters.ts'
import { inRounds, over } from '../support/rounds.ts'
import { setting } from '../support/sections.ts'
import { note, percent, Table, verdict } from '../support/table.ts'
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

/** CPU time of a complete scheduled HTTP check on both engines, and what PostgreSQL writes for it. */
export async function engines(): Promise<boolean> {
  const programs = findServerPrograms()
  if (programs === null) {
    note('(PostgreSQL was not found: the engines are not compared.)')
    return true
  }
  await using targets = await startTargets()
  await using cluster = await startCluster(programs, 'durable')
  const rounds = await inRounds(ROUNDS, {
    async sqlite() {
      using folder = temporaryFolder()
      return await measureAt(folder.path, targets.plain)
    },
    async postgres() {
      await using database = await freshDatabase(cluster.url)
      return await measureAt(database.url, targets.plain)
    },
  })
  return print(rounds)
}

function print(rounds: readonly { readonly sqlite: Measured; readonly postgres: Measured }[]): boolean {
  const title = `CPU time per HTTP check on both engines: ${MONITORS} monitors, ${CHECKS} checks a side at ${PER_SECOND} a second`
  const table = new Table(`${title}, ${ROUNDS} rounds, Node ${process.version}`, [
    '',
    ...['node µs', 'server µs', 'sum µs', 'ratio', 'goal', 'WAL bytes', 'goal', 'HOT', 'goal', 'checks a commit', ''],
  ])
  const nodeUs = ({ cpuUs, checks }: Measured): number => cpuUs / checks
  const serverUs = ({ postgres, checks }: Measured): number => (postgres?.cpuUs ?? 0) / checks
  const sumUs = (measured: Measured): number => nodeUs(measured) + serverUs(measured)
  const nodeOnly = over(rounds, ({ sqlite }) => nodeUs(sqlite)).toFixed(0)
  table.row(['SQLite', nodeOnly, '', nodeOnly, '', '', '', '', '', '', '', ''])
  const ofPostgres = (figure: (counters: PostgresCounters, checks: number) => number): number =>
    over(rounds, ({ postgres: { postgres, checks } }) => (postgres ? figure(postgres, checks) : Number.NaN))
  const ratio = over(rounds, ({ sqlite, postgres }) => sumUs(postgres) / sumUs(sqlite))
  const walBytes = ofPostgres((counters, checks) => counters.walBytes / checks)
  const hot = ofPostgres(({ hotUpdates, updates }) => hotUpdates / (updates || 1))
  const isMet = ratio <= GOAL_RATIO && walBytes <= GOAL_WAL_BYTES && hot >= GOAL_HOT
  table.row([
    'PostgreSQL',
    over(rounds, ({ postgres }) => nodeUs(postgres)).toFixed(0),
    over(rounds, ({ postgres }) => serverUs(postgres)).toFixed(0),
    over(rounds, ({ postgres }) => sumUs(postgres)).toFixed(0),
    ratio.toFixed(2),
    `≤ ${GOAL_RATIO}`,
    walBytes.toFixed(0),
    `≤ ${GOAL_WAL_BYTES}`,
    percent(hot, 1),
    `≥ ${percent(GOAL_HOT)}`,
    ofPostgres(({ commits }, checks) => checks / (commits || 1)).toFixed(1),
    verdict(isMet),
  ])
  const images = ofPostgres(({ pageImages }, checks) => pageImages / checks)
  note(`(The WAL includes ${images.toFixed(3)} page images a check, which follow a checkpoint.)`)
  return isMet
}

async function measureAt(place: string, url: string): Promise<Measured> {
  const now = Date.now()
  await fillWithCopies(place, MONITORS, { ...subjectOf('HTTP', url), intervalSeconds: INTERVAL_SECONDS }, now)
  await using engine = await startEngine(place, now, (PER_SECOND * INTERVAL_SECONDS) / MONITORS)
  await engine.warmUp({ checks: CHECKS })
  return await engine.measure({ checks: CHECKS })
}
