import type { RunProbe } from '../../contract/probe.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Database } from '../../storage/database.ts'
import { FAILED_RETRY_MS } from '../../storage/queue/process.ts'
import type { CheckSource } from './check-source.ts'
import type { Claim } from './claim.ts'
import { knownDetails } from './details-to-store.ts'
import { heartbeatSample } from './overdue-heartbeat.ts'
import { ResultWriter, type WriteOutcome } from './result-writer.ts'
import type { CheckResult } from './save-results.ts'

/** Counters of the metrics. */
export interface CheckerCounts {
  /** A result was saved; `latenessMs` is the time from when the check was due to its start, null if that is not known. */
  saved(latenessMs: number | null): void
  stale(): void
  inconclusive(reason: string): void
}

export interface CheckerOptions {
  readonly database: Database
  readonly source: CheckSource
  /** The public address of the installation. */
  readonly baseUrl: () => string
  readonly runProbe: RunProbe
  readonly clock: Clock
  readonly log: Log
  readonly counts: CheckerCounts
  /** The most checks under way at once. A check of a slow target can take more than a minute. */
  readonly capacity: number
}

export interface Checker {
  /** Looks for due checks now instead of after the rest. */
  nudge(): void
  /** Ends checks under way: they are inconclusive, and repeated. */
  abortChecks(): void
  readonly underWay: number
  /** Aborts checks under way. */
  stop(): Promise<void>
}

/** Due checks that one tick takes. */
const BATCH = 500
/** Between two ticks, if the first one found less than that. */
const REST_MS = 250

/** Takes due checks, runs their probes and writes the results. */
export function startChecker(options: CheckerOptions): Checker {
  const { database, source, baseUrl, runProbe, clock, log, counts, capacity } = options
  const stopping = new AbortController()
  /** Ends the checks under way. */
  let checking = new AbortController()
  /** How late each check under way has begun. */
  const underWay = new Map<Claim, number | null>()
  let idle: (() => void) | undefined

  async function tick(): Promise<Rest> {
    const room = Math.min(BATCH, capacity - underWay.size)
    if (room <= 0) return { restMs: REST_MS }
    const now = clock.now()
    const { claims, unreadable, isMore } = await source.takeDue(now, room)
    // All are counted before the first begins: the result writer flushes when none is left under way.
    for (const claim of claims) underWay.set(claim, claim.dueAt === null ? null : now - claim.dueAt)
    for (const claim of claims) begin(claim, now)
    if (unreadable.length > 0) {
      for (const { num, error } of unreadable)
        log.error({ err: error, monitor: num }, 'check skipped: its settings cannot be read')
      await source.postpone(unreadable, now + FAILED_RETRY_MS)
    }
    return isMore ? 'again' : { restMs: REST_MS }
  }

  const writer = new ResultWriter({
    ...{ database, baseUrl, clock, log },
    onWritten: settle,
    underWay: () => underWay.size,
    stopping: stopping.signal,
  })

  function begin(claim: Claim, now: number): void {
    const { settings, target } = claim
    if (settings.type === 'CRON') writer.add({ claim, sample: heartbeatSample(claim, now), at: now })
    else {
      void runProbe(settings.type, target, checking.signal, knownDetails(claim)).then((sample) =>
        writer.add({ claim, sample, at: clock.now() }),
      )
    }
  }

  function settle({ claim, sample, at }: CheckResult, outcome: WriteOutcome): void {
    const latenessMs = underWay.get(claim) ?? null
    underWay.delete(claim)
    source.settle(claim, outcome, at)
    if (outcome === 'stale') counts.stale()
    else if (outcome === 'lost') counts.inconclusive('The result could not be written')
    else if (sample.outcome === 'inconclusive') counts.inconclusive(sample.reason)
    else counts.saved(latenessMs)
    if (underWay.size === 0) idle?.()
  }

  const loop: Loop = startLoop('checker', log, tick)
  return {
    nudge: () => loop.nudge(),
    abortChecks() {
      checking.abort()
      checking = new AbortController()
    },
    get underWay() {
      return underWay.size
    },
    async stop() {
      await loop.stop()
      stopping.abort()
      checking.abort()
      await new Promise<void>((resolve) => {
        idle = resolve
        if (underWay.size === 0) resolve()
      })
    },
  }
}
