import type { Sample } from '../../../../src/contract/probe.ts'
import type { HeartbeatSignal } from '../../../../src/monitoring/checks/heartbeat.ts'
import type { MonitorSettings } from '../../../../src/monitoring/monitor-settings/schema.ts'
import type { MonitorState } from '../../../../src/monitoring/monitor-states/state.ts'
import { words } from '../../../support/reasons.ts'
import type { ModelWindows } from './model-windows.ts'

const HOUR = 3_600_000

/** The totals of an hour. */
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
 * The expected state of a monitor: the rules implemented a second time, as plainly as possible and without code of the
 * engine. The simulation feeds it the events and compares the database with it.
 */
export class ModelMonitor {
  readonly id: string
  readonly num: number
  token: string | null
  settings: MonitorSettings
  state: MonitorState = 'PENDING'
  /** Changes whenever the result of a check that began before becomes stale. */
  epoch = 0
  /** The node that it is assigned to. */
  holder: string | null = null
  hasIncident = false
  incidents = 0
  /** Failed checks of the open incident. */
  failed = 0
  samples: number[] = []
  /** The latest report of the job was a failure. */
  reportedFailure = false
  /** The time that the heartbeat deadline counts from. */
  deadlineFrom: number | null = null
  readonly runs = new Map<string, number>()
  readonly hours = new Map<number, Hour>()
  readonly results: { at: number; since: number; failed: boolean; covered: boolean }[] = []
  accountedUntil: number
  /** Time since its last check or its last change, while some node was running. */
  uncheckedMs = 0
  /** Time since its heartbeat was missed, until it is DOWN, while some node was running. */
  overdueMs = 0
  /** Time since its check was due, in which some node was running and none was checking it. */
  waitingMs = 0
  /** How often since its last check a node got into trouble, or a check was discarded. */
  setbacks = 0
  /** The latest result that was saved; null after a change, which makes the monitor due at once. */
  lastResultAt: number | null = null
  /** Time since its maintenance ended, until its next check; null if none ended. */
  recheckWaitMs: number | null = null
  readonly #windows: ModelWindows

  constructor(
    id: string,
    num: number,
    token: string | null,
    settings: MonitorSettings,
    now: number,
    windows: ModelWindows,
  ) {
    this.#windows = windows
    this.id = id
    this.num = num
    this.token = token
    this.settings = settings
    this.accountedUntil = now
  }

  get isCron(): boolean {
    return this.settings.type === 'CRON'
  }

  get periodMs(): number {
    const { expectedPeriodSec, intervalSeconds } = this.settings
    return (this.isCron ? (expectedPeriodSec ?? intervalSeconds) : intervalSeconds) * 1000
  }

  get deadline(): number | null {
    return this.deadlineFrom === null ? null : this.deadlineFrom + this.periodMs + this.settings.graceSeconds * 1000
  }

  /** Counts the time up to now, piece by piece. */
  accrue(
    now: number,
    validMs = 2 * this.periodMs + (this.isCron ? this.settings.graceSeconds * 1000 : 0) + 120_000,
  ): void {
    const until = this.state === 'PAUSED' ? now : Math.min(now, this.accountedUntil + validMs)
    for (let at = this.accountedUntil; at < until; ) {
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
    this.accountedUntil = Math.max(this.accountedUntil, now)
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

  /** The target was down from the first try of the check, unless maintenance covers that moment. */
  private accrueFailure(startedAt: number, now: number): number {
    const start = Math.min(now, Math.max(startedAt, this.accountedUntil))
    const since = this.#windows.covers(this.num, start) ? now : start
    this.accrue(since)
    this.state = 'DOWN'
    this.accrue(now, now - since)
    return since
  }

  /** A result that was saved. */
  judge(sample: Exclude<Sample, { outcome: 'inconclusive' }>, now: number, startedAt = now): void {
    const since = sample.outcome === 'failure' ? this.accrueFailure(startedAt, now) : now
    this.accrue(now)
    const failed = sample.outcome === 'failure'
    const hour = this.hourAt(now)
    hour.checks += 1
    const covered = this.#windows.covers(this.num, now)
    this.results.push({ at: now, since, failed, covered })
    this.lastResultAt = now
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

  /** A heartbeat while the monitor was not paused. */
  receive(signal: HeartbeatSignal, rid: string, now: number): void {
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
      this.deadlineFrom = now
      this.reportedFailure = false
      this.judge({ outcome: 'success', ...took }, now)
    } else {
      this.deadlineFrom ??= now
      this.reportedFailure = true
      this.judge(
        { outcome: 'failure', code: 'HEARTBEAT_FAILED', error: words('failed'), kind: 'content', ...took },
        now,
      )
    }
    this.checked()
  }

  /** Time in which some node could have checked it. `dueAt` is null while a node is checking it, or if it is never due. */
  pass(from: number, to: number, dueAt: number | null): void {
    this.uncheckedMs += to - from
    if (dueAt !== null) this.waitingMs += Math.max(0, to - Math.max(from, dueAt))
    const ended = this.#windows.endedWithin(this.num, from, to)
    if (this.recheckWaitMs !== null) this.recheckWaitMs += to - from
    else if (ended !== undefined) this.recheckWaitMs = to - ended
    const { deadline } = this
    const waiting = this.isCron && deadline !== null && this.state !== 'DOWN' && this.state !== 'PAUSED'
    this.overdueMs = waiting ? this.overdueMs + Math.max(0, to - Math.max(from, deadline)) : 0
  }

  /** A user's change. The samples are dropped unless only the timing changed. */
  change(now: number, keepsSamples = false): void {
    this.accrue(now)
    this.lastResultAt = null
    if (!keepsSamples) this.samples = []
    this.checked()
  }

  checked(): void {
    this.epoch += 1
    this.uncheckedMs = 0
    this.overdueMs = 0
    this.setbacks = 0
    this.waitingMs = 0
    this.recheckWaitMs = null
  }
}
