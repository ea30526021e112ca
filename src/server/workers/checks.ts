import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { planNamed, planNames } from '../../accounts/plans/plans.ts'
import { type Clock, DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { startLoop } from '../../lib/loop.ts'
import { type Checker, startChecker } from '../../monitoring/checks/checker.ts'
import { checkClaims } from '../../monitoring/checks/release.ts'
import { ensureParts, tendParts } from '../../monitoring/checks/results.ts'
import type { RunProbe } from '../../contract/probe.ts'
import { createPinger } from '../../monitoring/probes/ping/pinger.ts'
import { startProbePool } from '../../monitoring/probes/pool.ts'
import type { Database } from '../../storage/database.ts'
import { nodeLock } from '../../storage/node-lock.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'

export interface Engine {
  /** This node, as its claims name it. */
  readonly node: string
  readonly runProbe: RunProbe
  /** Something may have become due. */
  nudge(): void
}

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly baseUrl: () => string
}

/** How many checks one node has under way at most; each holds a socket. */
const CAPACITY = 2_000
const RELEASE_EVERY_MS = 5_000
const TEND_EVERY_MS = HOUR_MS / 4
const NEW_DAY_EVERY_MS = 1_000

/** Starts what probes, and on a node with that role what checks. */
export async function startEngine(parts: Parts, undo: (() => unknown)[]): Promise<Engine> {
  const { config, database, clock, log, metrics, baseUrl } = parts
  const node = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`
  const life = await database.tryLock(nodeLock(node))
  undo.push(() => life?.release())
  await makeParts(database, clock.now())
  const pool = startProbePool(config, log)
  undo.push(() => pool.close())
  tellHowToPing(log, metrics)
  let checker: Checker | undefined
  if (config.roles.includes('checker')) {
    await checkClaims.releaseOfDead(database, node, clock.now())
    checker = startChecker({
      ...{ database, clock, log, node },
      baseUrl,
      // One process at a time serves a data folder (see storage/sqlite).
      alone: database.engine === 'sqlite',
      runProbe: pool.runProbe,
      counts: metrics.checks,
      capacity: CAPACITY,
    })
    undo.push(() => checker?.stop())
    undo.push(() => releasing.stop())
    const releasing = startLoop('releasing claims', log, async () => {
      if ((await checkClaims.releaseOfDead(database, node, clock.now())) > 0) checker?.nudge()
      return { restMs: RELEASE_EVERY_MS }
    })
  }
  let madeFor = dayOf(clock.now())
  // Timers stand still while the machine sleeps, and the clock does not: a new day is looked for, not waited for.
  const turning = startLoop('making result parts', log, async () => {
    const today = dayOf(clock.now())
    if (today !== madeFor) await makeParts(database, clock.now())
    madeFor = today
    return { restMs: NEW_DAY_EVERY_MS }
  })
  undo.push(() => turning.stop())
  const tending = startLoop('tending results', log, async () => {
    return (await tendParts(database, clock.now())) ? 'again' : { restMs: TEND_EVERY_MS }
  })
  undo.push(() => tending.stop())
  metrics.watchChecks(() => checker?.underWay ?? 0)
  return { node, runProbe: counting(pool.runProbe, metrics), nudge: () => checker?.nudge() }
}

/** The look of a check by hand; the checker counts its own. */
function counting(look: RunProbe, { checks }: Metrics): RunProbe {
  return async (type, target, signal) => {
    const sample = await look(type, target, signal)
    if (sample.outcome === 'inconclusive') checks.inconclusive(sample.reason)
    return sample
  }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** Tomorrow's parts are there before tomorrow is. */
async function makeParts(database: Database, now: number): Promise<void> {
  const keepDays = [...new Set(planNames.map((name) => planNamed(name).rawResultsDays))]
  await ensureParts(database, now, keepDays)
  await ensureParts(database, now + DAY_MS, keepDays)
}

/** Said once, where the operator looks: a PING monitor cannot say it, for its trouble is not its target's. */
function tellHowToPing(log: Log, metrics: Metrics): void {
  using pinger = createPinger()
  const { ipv4, ipv6, sentence } = pinger.method()
  metrics.pingWays.set({ ipv4, ipv6 }, 1)
  if (ipv4 === 'none') log.warn(`PING monitors cannot be checked here: ${sentence}`)
}
