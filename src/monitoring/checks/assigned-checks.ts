import type { DbWork } from '../../storage/query.ts'
import { FAILED_RETRY_MS } from '../../storage/queue/crash-delay.ts'
import { AssignmentTaker, type Held, type TakerOptions } from './assignment-taker.ts'
import { type Assignment, outdatedAmong } from './assignments.ts'
import type { CheckConfigCache } from './check-config.ts'
import { type CheckSource, type DueChecks, nothingDue, unlimitedPlaces } from './check-source.ts'
import {
  type Claim,
  type ClaimedChecks,
  claimsOf,
  type KnownState,
  postponeChecks,
  statesOf,
  type UnreadableCheck,
} from './claim.ts'
import { DueQueues } from './due-queues.ts'
import { shareAmongOrganizations } from './places.ts'
import type { WriteOutcome } from './result-writer.ts'
import { StateCache } from './state-cache.ts'

/** A monitor that is assigned to this node. */
interface Entry extends Held {
  readonly num: number
  readonly orgId: string
  /** Undefined: to be read before the next check. */
  revision: number | undefined
  edition: number
  /** Null while it is never due, or under way. */
  dueAt: number | null
  position: number
  underWay: Claim | undefined
}

export interface AssignedChecksOptions extends TakerOptions {
  readonly configs: CheckConfigCache
}

/**
 * The schedule of a node that shares the database with others (PostgreSQL): the monitors that are assigned to it, by due
 * time, in memory. Before the checks of a tick begin, one query finds those that were changed or taken away meanwhile.
 */
export class AssignedChecks implements CheckSource {
  readonly #options: AssignedChecksOptions
  readonly #taker: AssignmentTaker
  readonly #states = new StateCache()
  readonly #entries = new Map<number, Entry>()
  readonly #queues = new DueQueues<Entry>()

  constructor(options: AssignedChecksOptions) {
    this.#options = options
    this.#taker = new AssignmentTaker(options)
  }

  /** How many monitors are assigned to this node. */
  get size(): number {
    return this.#entries.size
  }

  async takeDue(now: number, limit: number, places = unlimitedPlaces): Promise<DueChecks> {
    const { database, cluster } = this.#options
    if (!cluster.isAlive()) return nothingDue
    const { taken, lost, surplus, isMore } = await this.#taker.take(this.#entries)
    for (const num of lost) this.#drop(num)
    for (const assignment of taken) this.#add(assignment)
    if (surplus > 0) await this.#release(surplus)
    cluster.reportMonitors(this.#entries.size)
    await shareAmongOrganizations(places, database)
    const due = this.#queues.takeDue(now, limit, places)
    if (due.length === 0) return { ...nothingDue, isMore }
    let found: ClaimedChecks
    try {
      found = await database.read(this.#claims(due, now))
    } catch (error) {
      for (const entry of due) this.#schedule(entry, entry.dueAt)
      throw error
    }
    for (const claim of found.claims) {
      const entry = this.#entries.get(claim.num)
      if (entry !== undefined) entry.underWay = claim
    }
    for (const entry of due) if (entry.underWay === undefined) this.#keepScheduled(entry, now)
    return { ...found, isMore: isMore || due.length === limit }
  }

  async countDue(at: number): Promise<number> {
    return this.#queues.countDue(at)
  }

  hasOtherNodes(): boolean {
    return this.#taker.hasOtherNodes()
  }

  nodeRemoved(): void {
    this.#taker.nodeRemoved()
  }

  settle(claim: Claim, outcome: WriteOutcome, at: number): void {
    if (typeof outcome === 'object') this.#states.set(outcome)
    const entry = this.#entries.get(claim.num)
    // It was taken away, or changed and assigned again with a new revision.
    if (entry?.underWay !== claim) return
    entry.underWay = undefined
    if (outcome === 'stale' || outcome === 'lost') {
      entry.revision = undefined
      this.#schedule(entry, outcome === 'stale' ? at : at + FAILED_RETRY_MS)
    } else {
      entry.revision = outcome.revision + 1
      this.#schedule(entry, outcome.nextCheckAt)
    }
  }

  async postpone(checks: readonly UnreadableCheck[], dueAt: number): Promise<void> {
    for (const { num } of checks) {
      const entry = this.#entries.get(num)
      if (entry !== undefined) this.#schedule(entry, dueAt)
    }
    await this.#options.database.write(() => postponeChecks(checks, dueAt))
  }

  /** The checks of entries that are still due. The state is read if it is not cached at the entry's revision. */
  *#claims(due: readonly Entry[], now: number): DbWork<ClaimedChecks> {
    const cached = new Map<Entry, KnownState>()
    for (const entry of due) {
      const state = entry.revision === undefined ? undefined : this.#states.get(entry.num, entry.revision)
      if (state !== undefined) cached.set(entry, state)
    }
    const outdated = yield* outdatedAmong([...cached.keys()] as { num: number; revision: number }[])
    const toRead = due.filter((entry) => !cached.has(entry) || outdated.has(entry.num))
    const read = new Map((yield* statesOf(toRead)).map((row) => [row.num, row]))
    const rows: Assignment[] = []
    const states: KnownState[] = []
    for (const entry of due) {
      const row = read.get(entry.num)
      const state = row ?? (outdated.has(entry.num) ? undefined : cached.get(entry))
      if (state === undefined || (row !== undefined && !this.#isDue(entry, row, now))) continue
      const { num, orgId, revision, edition, dueAt } = entry
      rows.push({ num, org_id: orgId, revision: revision as number, edition, next_check_at: dueAt })
      states.push(state)
    }
    for (const { num } of toRead) if (!read.has(num)) this.#entries.delete(num)
    return yield* claimsOf(rows, states, this.#options.configs, now)
  }

  /** Adopts what was read of an entry. False if its check does not begin now. */
  #isDue(entry: Entry, row: Assignment & { readonly claimed_by: string | null }, now: number): boolean {
    if (row.claimed_by !== this.#options.name) {
      this.#entries.delete(entry.num)
      return false
    }
    entry.revision = row.revision
    entry.edition = row.edition
    entry.dueAt = row.next_check_at
    if (row.next_check_at !== null && row.next_check_at <= now) return true
    this.#schedule(entry, row.next_check_at)
    return false
  }

  /** Not begun because it cannot be read: it is tried again, unless it is known when it is due. */
  #keepScheduled(entry: Entry, now: number): void {
    if (entry.position !== -1 || entry.dueAt === null) return
    entry.revision = undefined
    this.#schedule(entry, now + FAILED_RETRY_MS)
  }

  /** If a check of it is under way, its result is stale: whatever made the monitor unassigned has incremented the revision. */
  #add({ num, org_id: orgId, revision, edition, next_check_at: dueAt }: Assignment): void {
    this.#drop(num)
    const { comparison } = this.#taker
    const entry: Entry = { num, orgId, revision, edition, dueAt, position: -1, underWay: undefined, comparison }
    this.#entries.set(num, entry)
    this.#schedule(entry, dueAt)
  }

  #drop(num: number): void {
    const entry = this.#entries.get(num)
    if (entry === undefined) return
    this.#queues.remove(entry)
    this.#entries.delete(num)
  }

  #schedule(entry: Entry, dueAt: number | null): void {
    entry.dueAt = dueAt
    if (this.#entries.get(entry.num) === entry) this.#queues.put(entry)
  }

  /** Releases monitors that are not under way. They are forgotten first: after an error the database decides. */
  async #release(count: number): Promise<void> {
    const released: number[] = []
    for (const entry of this.#entries.values()) {
      if (released.length === count) break
      if (entry.underWay !== undefined) continue
      this.#drop(entry.num)
      released.push(entry.num)
    }
    await this.#taker.release(released)
  }
}
