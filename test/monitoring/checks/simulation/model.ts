import type { Sample } from '../../../../src/contract/probe.ts'
import type { HeartbeatSignal } from '../../../../src/monitoring/checks/heartbeat.ts'
import type { MonitorSettings } from '../../../../src/monitoring/monitor-settings/schema.ts'
import type { MonitorState } from '../../../../src/monitoring/monitor-states/state.ts'
import type { Windows } from './windows.ts'

const HOUR = 3_600_000

/** An hour of a monitor as the model accounts for it. */
export interface Hour {
  up: number
  degraded: number
  down: number
  paused: number
  maintenance: number
  checks: number
  failures: number
}

/**
 * What a monitor should be: the rules once more, written as plainly as can be and sharing no code with the engine. The
 * simulation tells it what happened and holds the database against it.
 */
export class Modelled {
  readonly id: string
  readonly num: number
  token: string | null
  settings: MonitorSettings
  state: MonitorState = 'PENDING'
  /** Changes whenever a check that began before may no longer land. */
  epoch = 0
  /** The revision of the latest claim. */
  claimedAt = 0
  hasIncident = false
  incidents = 0
  /** Failed checks of the open incident. */
  failed = 0
  samples: number[] = []
  /** The job's latest word was a failure. */
  reportedFailure = false
  /** From when on a heartbeat is waited for. */
  waitedFrom: number | null = null
  readonly runs = new Map<string, number>()
  readonly hours = new Map<number, Hour>()
  readonly results: { at: number; failed: boolean; covered: boolean }[] = []
  toldUntil: number
  /** Watched time since it was looked at or made due. */
  unwatchedMs = 0
  /** Watched time since its heartbeat was missed, until it is DOWN. */
  overdueMs = 0
  /** Checks since then that a death or a newer check ended early, and those whose claims had to run out. */
  setbacks = 0
  lostClaims = 0
  /** How long a check may still take that is overtaken already: a node that is alone waits for it. */
  slowMs = 0
  /** Watched time since maintenance of it ended, until it is looked at; null where nobody waits for that. */
  awaitedMs: number | null = null
  readonly #windows: Windows

  constructor(id: string, num: number, token: string | null, settings: MonitorSettings, now: number, windows: Windows) {
    this.#windows = windows
    this.id = id
    this.num = num
    this.token = token
    this.settings = settings
    this.toldUntil = now
  }

  get isCron(): boolean {
    return this.settings.type === 'CRON'
  }

  get periodMs(): number {
    const { expectedPeriodSec, intervalSeconds } = this.settings
    return (this.isCron ? (expectedPeriodSec ?? intervalSeconds) : intervalSeconds) * 1000
  }

  get deadline(): number | null {
    return this.waitedFrom === null ? null : this.waitedFrom + this.periodMs + this.settings.graceSeconds * 1000
  }

  /** Accounts for the time since the last account, piece by piece, without any shortcut. */
  tell(now: number): void {
    const believed = 2 * this.periodMs + (this.isCron ? this.settings.graceSeconds * 1000 : 0) + 120_000
    const until = this.state === 'PAUSED' ? now : Math.min(now, this.toldUntil + believed)
    for (let at = this.toldUntil; at < until; ) {
      const end = Math.min(until, (Math.floor(at / HOUR) + 1) * HOUR, ...this.#windows.bounds(this.num, at, until))
      const hour = this.hourAt(at)
      const known = this.state === 'UP' || this.state === 'DEGRADED' || this.state === 'DOWN'
      if (known && this.#windows.covers(this.num, at)) {
        hour.maintenance += end - at
        at = end
        continue
      }
      if (this.state === 'UP' || this.state === 'DEGRADED') hour.up += end - at
      if (this.state === 'DEGRADED') hour.degraded += end - at
      if (this.state === 'DOWN') hour.down += end - at
      if (this.state === 'PAUSED') hour.paused += end - at
      at = end
    }
    this.toldUntil = Math.max(this.toldUntil, now)
  }

  hourAt(at: number): Hour {
    const start = Math.floor(at / HOUR) * HOUR
    let hour = this.hours.get(start)
    if (hour === undefined) {
      hour = { up: 0, degraded: 0, down: 0, paused: 0, maintenance: 0, checks: 0, failures: 0 }
      this.hours.set(start, hour)
    }
    return hour
  }

  /** A result that landed. */
  judge(sample: Exclude<Sample, { outcome: 'inconclusive' }>, now: number): void {
    this.tell(now)
    this.epoch += 1
    const failed = sample.outcome === 'failure'
    const hour = this.hourAt(now)
    hour.checks += 1
    const covered = this.#windows.covers(this.num, now)
    this.results.push({ at: now, failed, covered })
    if (failed) {
      hour.failures += 1
      this.state = 'DOWN'
      if (!this.hasIncident && covered) return
      if (!this.hasIncident) this.incidents += 1
      this.failed = this.hasIncident ? this.failed + 1 : 1
      this.hasIncident = true
      return
    }
    this.hasIncident = false
    this.state = this.isSlow(sample.responseMs) ? 'DEGRADED' : 'UP'
  }

  private isSlow(ms: number | undefined): boolean {
    const { degradedThresholdMs: threshold, degradedSamples: count } = this.settings
    if (threshold === null || ms === undefined) {
      this.samples = []
      return false
    }
    this.samples.push(ms)
    const latest = this.samples.slice(-count)
    return latest.length === count && latest.every((sample) => sample > threshold)
  }

  /** A heartbeat that came while the monitor was not paused. */
  hear(signal: HeartbeatSignal, rid: string, now: number): void {
    if (signal.kind === 'log' || signal.kind === 'start') {
      this.epoch += 1
      this.setbacks += 1
      if (signal.kind === 'start') this.runs.set(rid, now)
      return
    }
    const startedAt = this.runs.get(rid)
    this.runs.delete(rid)
    const took = startedAt === undefined ? {} : { responseMs: now - startedAt }
    if (signal.kind === 'success' || (signal.kind === 'exit' && signal.code === 0)) {
      this.waitedFrom = now
      this.reportedFailure = false
      this.judge({ outcome: 'success', ...took }, now)
    } else {
      this.waitedFrom ??= now
      this.reportedFailure = true
      this.judge({ outcome: 'failure', code: 'HEARTBEAT_FAILED', error: 'failed', kind: 'content', ...took }, now)
    }
    this.looked()
  }

  /** Time goes by in which some node could have looked at it. */
  pass(from: number, to: number): void {
    this.unwatchedMs += to - from
    const ended = this.#windows.endedWithin(this.num, from, to)
    if (this.awaitedMs !== null) this.awaitedMs += to - from
    else if (ended !== undefined) this.awaitedMs = to - ended
    const { deadline } = this
    const waiting = this.isCron && deadline !== null && this.state !== 'DOWN' && this.state !== 'PAUSED'
    this.overdueMs = waiting ? this.overdueMs + Math.max(0, to - Math.max(from, deadline)) : 0
  }

  /** A change by hand: what was under way is overtaken, and unless only the rhythm changed the samples start anew. */
  change(now: number, sameSamples = false): void {
    this.tell(now)
    this.epoch += 1
    if (!sameSamples) this.samples = []
    this.looked()
  }

  looked(): void {
    this.unwatchedMs = 0
    this.overdueMs = 0
    this.setbacks = 0
    this.lostClaims = 0
    this.slowMs = 0
    this.awaitedMs = null
  }
}
