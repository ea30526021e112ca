import { memoryLimits } from '../../bin/memory-limits.js'
import type { Engine } from '../../src/storage/database.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { runScript, temporaryFolder } from '../support/children.ts'
import type { Phase, ResultsMeasured } from '../support/results.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

/** 10,000 monitors every 30 s produce 28.8 million a day. */
const RESULTS = setting('BENCH_RESULTS', 28_800_000)
const GOAL_DELAY_MS = 50
const GOAL_COMMIT_MS = 50
const GOAL_READ_MS = 20

/**
 * Moves results into the blocks of a day, counts and drops the day, while 333 results a second are written and pages of monitors
 * are read. Nothing may block the event loop. A process beside it that does nothing shows which delays the machine causes.
 */
export async function results(): Promise<boolean> {
  const table = new Table(
    `${RESULTS} results of 10,000 monitors, while 333 a second are written and pages of 50 are read`,
    [
      ...['', 'seconds', 'event loop p99 ms', `max ms, goal ${GOAL_DELAY_MS}`, 'max of an idle process'],
      ...['CPU in one go, max ms', `commit p99 ms, goal ${GOAL_COMMIT_MS}`],
      ...['page p50 ms', `p99 ms, goal ${GOAL_READ_MS}`, 'max ms', ''],
    ],
  )
  using folder = temporaryFolder()
  const outcomes = [await measure('sqlite', folder.path, table)]
  const programs = findServerPrograms()
  if (programs !== null) {
    await using cluster = await startCluster(programs, 'durable')
    await using there = await freshDatabase(cluster.url)
    outcomes.push(await measure('postgres', there.url, table))
  } else note('(PostgreSQL was not found: its rows are missing.)')
  return outcomes.every(Boolean)
}

async function measure(engine: Engine, at: string, table: Table): Promise<boolean> {
  progress(`${engine}: ${RESULTS} results`)
  const measured = await runScript<ResultsMeasured>('results.ts', [engine, at, RESULTS], memoryLimits)
  progress('')
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const phases = [
    ['moved', measured.move],
    ['counted', measured.count],
    ['at rest', measured.rest],
    ['dropped', measured.drop],
  ] as const
  for (const [what, phase] of phases) table.row(rowOf(`${name}, ${what}`, phase))
  note(`${name}: ${measured.bytesPerResult.toFixed(1)} bytes per result`)
  return phases.every(([, phase]) => isMet(phase))
}

function isMet({ delays, writeP99Ms, readP99Ms }: Phase): boolean {
  return delays.maxMs <= GOAL_DELAY_MS && writeP99Ms <= GOAL_COMMIT_MS && readP99Ms <= GOAL_READ_MS
}

function rowOf(name: string, phase: Phase): string[] {
  const { delays, idleDelays } = phase
  const numbers = [
    ...[phase.seconds, delays.p99Ms, delays.maxMs, idleDelays.maxMs, delays.blockedMaxMs, phase.writeP99Ms],
    ...[phase.readP50Ms, phase.readP99Ms, phase.readMaxMs],
  ]
  return [name, ...numbers.map((value) => value.toFixed(1)), verdict(isMet(phase))]
}
