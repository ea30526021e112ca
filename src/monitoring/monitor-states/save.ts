import { sql } from 'kysely'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { type DbWork, q, runEach, statement } from '../../storage/query.ts'
import type { Span } from '../maintenance-coverage/types.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { periodMs, type Rhythm } from './due.ts'
import { accrue, type ClosedHour, type Spent, spentIn } from './ledger.ts'
import { coveredByMaintenance } from './maintenance.ts'
import { type Memory, memoryText, readMemory } from './memory.ts'
import { LOG_CHARACTERS } from './recent-log.ts'
import { storeHours } from './rollups.ts'
import { type Standing, standingText } from './state.ts'

/** Where a monitor is to stand from now on. */
export interface Stand {
  readonly orgId: string
  readonly num: number
  /** What the row must still be at. */
  readonly revision: number
  readonly standing: Standing
  readonly memory: Memory
  readonly nextCheckAt: number | null
  readonly openIncident: string | null
  /** A line for the log; the empty text where there was no check. */
  readonly log: string
  /** 1 where the settings may be others from now on, else 0. */
  readonly newEditions: 0 | 1
}

interface Saved {
  orgId: string
  num: number
  revision: number
  state: Standing['state']
  lastCheckedAt: number | null
  lastStatusChangedAt: number | null
  lastResponseMs: number | null
  certExpiresAt: number | null
  shown: string
  openIncident: string | null
  memory: string
  nextCheckAt: number | null
  log: string
  newEditions: number
}

const update = statement((s: Saved) =>
  q
    .updateTable('monitor_states')
    .set({
      revision: sql<number>`revision + 1`,
      state: s.state,
      last_checked_at: s.lastCheckedAt,
      last_status_changed_at: s.lastStatusChangedAt,
      last_response_ms: s.lastResponseMs,
      cert_expires_at: s.certExpiresAt,
      shown: s.shown,
      open_incident: s.openIncident,
      memory: s.memory,
      recent: sql<string>`substr(cast(${s.log} as text) || recent, 1, ${sql.lit(LOG_CHARACTERS)})`,
      edition: sql<number>`edition + cast(${s.newEditions} as bigint)`,
      next_check_at: s.nextCheckAt,
      claimed_by: null,
    })
    .where('num', '=', s.num)
    .where('org_id', '=', s.orgId)
    .where('revision', '=', s.revision),
)

/** Writes where monitors stand. False for one that is no longer what it was at its revision: of it nothing was written. */
export function* saveStands(stands: readonly Stand[]): DbWork<readonly boolean[]> {
  return (yield* runEach(update, stands.map(savedOf))).map((changes) => changes === 1)
}

/** Member by member: the fastest way to make an object, and one is made for each check. */
function savedOf(stand: Stand): Saved {
  const { standing } = stand
  return {
    orgId: stand.orgId,
    num: stand.num,
    revision: stand.revision,
    state: standing.state,
    lastCheckedAt: standing.last_checked_at,
    lastStatusChangedAt: standing.last_status_changed_at,
    lastResponseMs: standing.last_response_ms,
    certExpiresAt: standing.cert_expires_at,
    shown: standingText(standing),
    openIncident: stand.openIncident,
    memory: memoryText(stand.memory),
    nextCheckAt: stand.nextCheckAt,
    log: stand.log,
    newEditions: stand.newEditions,
  }
}

/** How long a state is believed after it was last seen; beyond that the service itself was away, and nobody knows. */
export function believedMs(settings: Rhythm): number {
  const grace = settings.type === 'CRON' ? settings.graceSeconds * SECOND_MS : 0
  return 2 * periodMs(settings) + grace + 2 * MINUTE_MS
}

/** Tells the monitor's account up to now; hours that came to their end are to be stored with `storeHours`. */
export function settleAccount(
  memory: Memory,
  now: number,
  spent: Spent,
  believedMs: number,
  maintenance: readonly Span[],
): { memory: Memory; closed: readonly ClosedHour[] } {
  const { ledger, closed } = accrue(memory.ledger, now, spent, believedMs, maintenance)
  return { memory: { ...memory, ledger }, closed }
}

/** A monitor as a change finds it. */
export interface Standee extends Standing {
  readonly num: number
  readonly revision: number
  readonly memory: string
  readonly open_incident: string | null
}

export interface HandChange {
  readonly standing: Standing
  /** What is to be remembered from now on, made of what was remembered until now. */
  readonly remember: (memory: Memory) => Memory
  readonly nextCheckAt: (memory: Memory) => number | null
}

/**
 * Moves a monitor by hand (pause, resume, edit): its account is told up to now by the settings it had until now, and a
 * check under way is overtaken.
 */
export function* moveByHand(
  orgId: string,
  monitor: Standee,
  settings: MonitorSettings,
  change: HandChange,
  now: number,
): DbWork<void> {
  const spent = spentIn(monitor.state, false)
  const believed = monitor.state === 'PAUSED' ? Number.POSITIVE_INFINITY : believedMs(settings)
  const before = readMemory(monitor.memory, now)
  const covered = yield* coveredByMaintenance([{ orgId, memory: before, at: now }])
  const account = settleAccount(before, now, spent, believed, covered(orgId, monitor.num))
  const memory = change.remember(account.memory)
  const stand: Stand = {
    orgId,
    num: monitor.num,
    revision: monitor.revision,
    standing: change.standing,
    memory,
    nextCheckAt: change.nextCheckAt(memory),
    openIncident: monitor.open_incident,
    log: '',
    newEditions: 1,
  }
  yield* saveStands([stand])
  yield* storeHours(orgId, monitor.num, account.closed)
}
