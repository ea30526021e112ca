import { runScript, temporaryFolder } from '../support/children.ts'
import { setting } from '../support/sections.ts'
import { progress, Table, verdict } from '../support/table.ts'
import type { WritesMeasured } from '../support/writes.ts'

const SECONDS = setting('BENCH_SECONDS', 30)
const GOAL_PER_SECOND = 20_000
const GOAL_P99_MS = 10

/** Results written for as long as it takes the write-ahead log to be carried over into the database, too. */
export async function writes(): Promise<boolean> {
  using folder = temporaryFolder()
  progress(`writing for ${SECONDS} s`)
  const measured = await runScript<WritesMeasured>('writes.ts', [folder.path, GOAL_PER_SECOND, SECONDS])
  progress('')
  const isMet = measured.perSecond > 0.99 * GOAL_PER_SECOND && measured.p99Ms < GOAL_P99_MS
  new Table(`Results written on SQLite in batches of 200, each durable before it counts, ${SECONDS} s`, [
    '',
    'results/s',
    'goal',
    'commit p50 ms',
    'p99 ms',
    'goal',
    'max ms',
    '',
    'p99 since due, ms',
    'CPU µs/result',
  ]).row([
    'batches of 200',
    measured.perSecond.toFixed(0),
    `≥ ${GOAL_PER_SECOND}`,
    measured.p50Ms.toFixed(2),
    measured.p99Ms.toFixed(2),
    `< ${GOAL_P99_MS}`,
    measured.maxMs.toFixed(1),
    verdict(isMet),
    measured.lateP99Ms.toFixed(2),
    measured.cpuUs.toFixed(1),
  ])
  return isMet
}
