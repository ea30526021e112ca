import type { Engine } from '../../src/storage/database.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../../test/support/postgres-cluster.ts'
import { runScript, temporaryFolder } from '../support/children.ts'
import type { Phase, ResultsMeasured } from '../support/results.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

/** 10,000 monitors every 30 s produce 28.8 million a day. */
const RESULTS = setting('BENCH_RESULTS', 5_000_000)
const GOAL_DELAY_MS = 50
const GOAL_READ_MS = 20

/**
 * Moves the results of a day into blocks, then drops them, while 333 results a second are written and pages of one monitor
 * are read. Neither may block the event loop.
 */
export async function results(): Promise<boolean> {
  const table = new Table(
    `${RESULTS} results of 10,000 monitors, while 333 a second are written and pages of 50 are read`,
    [
      '',
      'seconds',
      'event loop p99 ms',
      'max ms',
      'CPU in one go, max ms',
      'goal',
      'commit p99 ms',
      'page p50 ms',
      'p99 ms',
      'goal',
      'max ms',
      '',
    ],
  )
  using folder = temporaryFolder()
  const outcomes = [await measure('sqlite', folder.path, table)]
  const programs = findServerPrograms()
  if (programs !== null) {
    await using cluster = await startCluster(programs)
    await using there = await freshDatabase(cluster.url)
    outcomes.push(await measure('postgres', there.url, table))
  } else note('(PostgreSQL was not found: its rows are missing.)')
  return outcomes.every(Boolean)
}

async function measure(engine: Engine, at: string, table: Table): Promise<boolean> {
  progress(`${engine}: ${RESULTS} results`)
  const measured = await runScript<ResultsMeasured>('results.ts', [engine, at, RESULTS])
  progress('')
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const phases = [
    ['moved', measured.move],
    ['at rest', measured.rest],
    ['dropped', measured.drop],
  ] as const
  for (const [what, phase] of phases) table.row(rowOf(`${name}, ${what}`, phase))
  note(`${name}: ${measured.bytesPerResult.toFixed(1)} bytes per result`)
  return phases.every(([, phase]) => isMet(phase))
}

function isMet({ delayMaxMs, readP99Ms }: Phase): boolean {
  return delayMaxMs <= GOAL_DELAY_MS && readP99Ms <= GOAL_READ_MS
}

function rowOf(name: string, phase: Phase): string[] {
  return [
    name,
    phase.seconds.toFixed(1),
    phase.delayP99Ms.toFixed(1),
    phase.delayMaxMs.toFixed(1),
    phase.blockedMaxMs.toFixed(1),
    `≤ ${GOAL_DELAY_MS}`,
    phase.writeP99Ms.toFixed(1),
    phase.readP50Ms.toFixed(1),
    phase.readP99Ms.toFixed(1),
    `≤ ${GOAL_READ_MS}`,
    phase.readMaxMs.toFixed(1),
    verdict(isMet(phase)),
  ]
}
