import type { RunProbe } from '../../contract/probe.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import type { Database } from '../../storage/database.ts'
import { FAILED_RETRY_MS } from '../../storage/queue/crash-delay.ts'
import { knownPage } from '../evidence/track.ts'
import type { CheckSource } from './check-source.ts'
import type { Claim } from './claim.ts'
import { CutOffMonitors } from './cut-off-monitors.ts'
import { heartbeatSample } from './heartbeat.ts'
import { CheckPlaces } from './places.ts'
import { ResultWriter, type WriteOutcome } from './result-writer.ts'
import type { CheckResult } from './save-results.ts'

/** Counters of the metrics. */
export interface CheckerCounts {
  /** A result was saved; `latenessMs` is the time from when the check was due to its start, null if that is not known. */
  saved(latenessMs: number | null): void
  stale(): void
  inconclusive(reason: Reason): void
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
  /** The most checks under way at once, of all organizations. A check of a slow target can take more than a minute. */
  readonly capacity: number
}

export interface Checker {
  /** Looks for due checks now instead of after the rest. */
  nudge(): void
  /** Ends checks under way: they are inconclusive, and repeated. */
  abortChecks(): void
  /** This node reaches a network again: monitors whose last check was cut off are checked now. */
  recheckCutOff(): Promise<void>
  readonly underWay: number
  /** How many checks are late and have not begun. */
  countWaiting(): Promise<number>
  /** Aborts checks under way. */
  stop(): Promise<void>
}

/** Due checks that one tick takes. */
const BATCH = 500
/** Between two ticks, if the first one found less than that. */
const REST_MS = 250
/** A check that has been due for longer is late. */
const LATE_MS = 5 * SECOND_MS
/** How often late checks are counted while an organization gets no further place. */
const COUNT_EVERY_MS = 10 * SECOND_MS
/** At most. */
const WARN_EVERY_MS = 10 * MINUTE_MS

/** Takes due checks, runs their probes and writes the results. */
export function startChecker(options: CheckerOptions): Checker {
  const { database, source, baseUrl, runProbe, clock, log, counts, capacity } = options
  const stopping = new AbortController()
  /** Ends the checks under way. */
  let checking = new AbortController()
  /** How late each check under way has begun. */
  const underWay = new Map<Claim, number | null>()
  const places = new CheckPlaces(capacity)
  const cutOff = new CutOffMonitors(database, clock, log)
  let nextCountAt = clock.now() + COUNT_EVERY_MS
  let idle: (() => void) | undefined

  async function tick(): Promise<Rest> {
    if (source.hasOtherNodes?.() === true) await makeCutOffDue('other nodes')
    const now = clock.now()
    if (now >= nextCountAt && places.atLimit().length > 0) await warnOfLateChecks(now)
    const room = Math.min(BATCH, places.free)
    if (room <= 0) return { restMs: REST_MS }
    const { claims, unreadable, isMore } = await source.takeDue(now, room, places)
    // All are counted before the first begins: the result writer flushes when none is left under way.
    for (const claim of claims) {
      underWay.set(claim, claim.dueAt === null ? null : now - claim.dueAt)
      places.take(claim.orgId)
    }
    for (const claim of claims) begin(claim, now)
    if (unreadable.length > 0) {
      for (const { num, error } of unreadable)
        log.error({ err: error, monitor: num }, 'check skipped: its settings cannot be read')
      await source.postpone(unreadable, now + FAILED_RETRY_MS)
    }
    return isMore ? 'again' : { restMs: REST_MS }
  }

  const makeCutOffDue = (keeper: 'this node' | 'other nodes') =>
    cutOff.makeDue(keeper, new Set(underWay.keys().map(({ num }) => num)))

  async function warnOfLateChecks(now: number): Promise<void> {
    const late = await source.countDue(now - LATE_MS)
    const largest = places.largest()
    nextCountAt = now + (late > 0 ? WARN_EVERY_MS : COUNT_EVERY_MS)
    if (late === 0 || largest === undefined) return
    log.warn(
      { organization: largest.orgId },
      `checks run late: ${late} wait for a place. ${capacity - places.free} of ${capacity} places are in use, ${largest.held} of them ` +
        'by one organization. Targets that do not answer occupy a place until they time out: lower the timeouts of such ' +
        'monitors, pause them, or add a node on PostgreSQL',
    )
  }

  const writer = new ResultWriter({
    database,
    baseUrl,
    clock,
    log,
    onWritten: settle,
    underWay: () => underWay.size,
    stopping: stopping.signal,
  })

  function begin(claim: Claim, now: number): void {
    const { settings, target, memory } = claim
    if (settings.type === 'CRON') writer.add({ claim, sample: heartbeatSample(claim, now), at: now })
    else {
      const known = { ...target, knownDetails: memory.details ?? undefined, knownPage: knownPage(memory.evidence) }
      void runProbe(settings.type, known, checking.signal).then((sample) =>
        writer.add({ claim, sample, at: clock.now() }),
      )
    }
  }

  function settle({ claim, sample, at }: CheckResult, outcome: WriteOutcome): void {
    const latenessMs = underWay.get(claim) ?? null
    underWay.delete(claim)
    places.giveBack(claim.orgId)
    source.settle(claim, outcome, at)
    cutOff.settle(claim, sample)
    if (outcome === 'stale') counts.stale()
    else if (outcome === 'lost') counts.inconclusive(reason('result_not_written'))
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
    async recheckCutOff() {
      await makeCutOffDue('this node')
      loop.nudge()
    },
    get underWay() {
      return underWay.size
    },
    countWaiting: () => source.countDue(clock.now() - LATE_MS),
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
