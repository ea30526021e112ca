import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { RunProbe } from '../../contract/probe.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { startLoop } from '../../lib/loop.ts'
import type { Sealer } from '../../lib/seal.ts'
import { checkQueue } from '../../monitoring/checks/check-queue.ts'
import { type Checker, startChecker } from '../../monitoring/checks/checker.ts'
import { maintainResults } from '../../monitoring/checks/merge-results.ts'
import { createPinger } from '../../monitoring/probes/ping/pinger.ts'
import { createProbePool } from '../../monitoring/probes/pool.ts'
import type { Database } from '../../storage/database.ts'
import { nodeLock } from '../../storage/node-lock.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'

export interface CheckWorker {
  /** The name of this node in its claims. */
  readonly node: string
  readonly runProbe: RunProbe
  /** Looks for due checks now. */
  nudge(): void
}

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly baseUrl: () => string
}

/** Checks that one node runs at the same time. */
const CAPACITY = 2_000
const RELEASE_EVERY_MS = 5_000
const MAINTAIN_RESULTS_EVERY_MS = 30_000

/** Starts the probe pool, and the checker on nodes with the role `checker`. */
export async function startCheckWorker(parts: Dependencies, undo: (() => unknown)[]): Promise<CheckWorker> {
  const { config, database, sealer, clock, log, metrics, baseUrl } = parts
  const node = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`
  const life = await database.tryLock(nodeLock(node))
  undo.push(() => life?.release())
  const pool = createProbePool(config, log)
  undo.push(() => pool.close())
  logPingMethod(log, metrics)
  let checker: Checker | undefined
  if (config.roles.includes('checker')) {
    await checkQueue.releaseOfDead(database, node, clock.now())
    checker = startChecker({
      ...{ database, sealer, clock, log, node },
      baseUrl,
      // Only one process uses a data folder (lockDataDir).
      alone: database.engine === 'sqlite',
      runProbe: pool.runProbe,
      counts: metrics.checks,
      capacity: CAPACITY,
    })
    undo.push(() => checker?.stop())
    undo.push(() => releasing.stop())
    const releasing = startLoop('releasing claims', log, async () => {
      if ((await checkQueue.releaseOfDead(database, node, clock.now())) > 0) checker?.nudge()
      return { restMs: RELEASE_EVERY_MS }
    })
  }
  const maintainingResults = startLoop('maintaining results', log, async (signal) => {
    const isMore = await maintainResults(database, clock.now(), signal)
    return isMore ? 'again' : { restMs: MAINTAIN_RESULTS_EVERY_MS }
  })
  undo.push(() => maintainingResults.stop())
  metrics.observeRunningChecks(() => checker?.underWay ?? 0)
  return { node, runProbe: counting(pool.runProbe, metrics), nudge: () => checker?.nudge() }
}

/** Counts inconclusive checks that users start; the checker counts its own. */
function counting(look: RunProbe, { checks }: Metrics): RunProbe {
  return async (...job) => {
    const sample = await look(...job)
    if (sample.outcome === 'inconclusive') checks.inconclusive(sample.reason)
    return sample
  }
}

/** Logs once if this system offers no way to ping: PING checks are then inconclusive. */
function logPingMethod(log: Log, metrics: Metrics): void {
  using pinger = createPinger()
  const { ipv4, ipv6, sentence } = pinger.methods()
  metrics.pingMethods.set({ ipv4, ipv6 }, 1)
  if (ipv4 === 'none') log.warn(`ping monitors do not work on this machine: ${sentence}`)
}
