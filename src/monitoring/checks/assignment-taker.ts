import type { Database } from '../../storage/database.ts'
import {
  type Assignment,
  assignmentsOf,
  assignUnassigned,
  goneNodes,
  isAnyUnassigned,
  releaseAssignments,
  takeOver,
} from './assignments.ts'
import { type CheckingMember, leavesToOthers, surplusOf } from './fair-share.ts'

/** The nodes of the installation, as of the last heartbeat of this one. */
interface CheckingCluster {
  /** False if other nodes may have taken the monitors of this one. */
  isAlive(): boolean
  /** True while this node lacks a network. */
  isCutOff?(): boolean
  /** The nodes that check monitors, are alive and lack no network. */
  members(): readonly CheckingMember[]
  /** For the other nodes: how many monitors this one has. */
  reportMonitors(count: number): void
}

export interface TakerOptions {
  readonly database: Database
  /** The name of this node. */
  readonly name: string
  readonly cluster: CheckingCluster
  /** A monotonic time in milliseconds. */
  readonly elapsed?: () => number
}

/** A monitor in the list of this node. */
export interface Held {
  /** The latest comparison with the database that found it, or before whose end it was added. */
  comparison: number
}

export interface Taken {
  readonly taken: readonly Assignment[]
  /** Monitors that are no longer assigned to this node. */
  readonly lost: readonly number[]
  /** How many monitors this node should release. */
  readonly surplus: number
  /** There may be more to take. */
  readonly isMore: boolean
}

const nothingTaken: Taken = { taken: [], lost: [], surplus: 0, isMore: false }

/** Between the list of this node and the database. */
interface Differences {
  readonly missing: readonly Assignment[]
  readonly lost: readonly number[]
}

const noDifferences: Differences = { missing: [], lost: [] }

/** Unassigned monitors that one tick takes. */
const BATCH = 1_000
/** Assignments that one tick compares with the database. */
export const PAGE_SIZE = 5_000
/** The most monitors that a node keeps in memory. */
const MOST = 500_000
/** A node above its share leaves unassigned monitors to the others for this long. */
const LEAVE_MS = 2_000
/** How often a node looks for monitors of nodes that are gone. */
const LOOK_FOR_GONE_MS = 1_000
/** How often a node compares its number of monitors with its fair share. */
const BALANCE_EVERY_MS = 3_000
/** How often a node compares its list with the database, a page per tick: soon again after an error, because a commit may come late. */
const COMPARE_EVERY_MS = 60_000
const COMPARE_AFTER_ERROR_MS = 10_000

/** Decides what this node takes and releases, by its fair share. */
export class AssignmentTaker {
  readonly #options: TakerOptions
  readonly #elapsed: () => number
  #unassignedSince: number | undefined
  #gone: readonly string[] = []
  #nextGoneLookAt = Number.NEGATIVE_INFINITY
  #nextBalanceAt = Number.NEGATIVE_INFINITY
  #nextCompareAt = Number.NEGATIVE_INFINITY
  #hasFailed = false
  #comparison = 0
  /** The last number of the previous page; undefined while nothing is compared. */
  #comparedUpTo: number | undefined

  constructor(options: TakerOptions) {
    this.#options = options
    this.#elapsed = options.elapsed ?? (() => performance.now())
  }

  /** For monitors that are added to the list. */
  get comparison(): number {
    return this.#comparison
  }

  hasOtherNodes(): boolean {
    const { name, cluster } = this.#options
    return cluster.members().some((member) => member.name !== name)
  }

  /** A node was removed: its monitors can be taken over. */
  nodeRemoved(): void {
    this.#nextGoneLookAt = Number.NEGATIVE_INFINITY
  }

  async take(held: ReadonlyMap<number, Held>): Promise<Taken> {
    const { name, cluster } = this.#options
    const now = this.#elapsed()
    const { missing, lost } = await this.#compareSome(held, now)
    if (missing.length + lost.length > 0) return { ...nothingTaken, taken: missing, lost, isMore: true }
    const leavesAll = cluster.isCutOff?.() === true && this.hasOtherNodes()
    const room = leavesAll ? 0 : Math.min(BATCH, MOST - held.size)
    if (room > 0) {
      const taken = await this.#certainly(() => this.#takeSome(now, held.size, room))
      if (taken.length > 0) return { ...nothingTaken, taken, isMore: taken.length === room }
    }
    if (now < this.#nextBalanceAt) return nothingTaken
    this.#nextBalanceAt = now + BALANCE_EVERY_MS
    return { ...nothingTaken, surplus: surplusOf(name, held.size, cluster.members()) }
  }

  async release(nums: readonly number[]): Promise<void> {
    const { database, name } = this.#options
    await this.#certainly(() => database.write(() => releaseAssignments(name, nums)))
  }

  async #takeSome(now: number, held: number, room: number): Promise<readonly Assignment[]> {
    const { database, name, cluster } = this.#options
    const from = await this.#goneNode(now)
    if (from !== undefined) {
      const taken = await database.write(() => takeOver(name, from, room))
      // Rows that another node is taking are left out: if some remain, the next look finds the node again.
      if (taken.length === 0) this.#gone = this.#gone.filter((other) => other !== from)
      if (taken.length > 0) return taken
    }
    if (!(await database.read(isAnyUnassigned()))) {
      this.#unassignedSince = undefined
      return []
    }
    this.#unassignedSince ??= now
    const isPatient = now - this.#unassignedSince < LEAVE_MS
    if (isPatient && leavesToOthers(name, held, cluster.members())) return []
    return database.write(() => assignUnassigned(name, room))
  }

  async #goneNode(now: number): Promise<string | undefined> {
    if (now >= this.#nextGoneLookAt) {
      this.#nextGoneLookAt = now + LOOK_FOR_GONE_MS
      this.#gone = await this.#options.database.read(goneNodes())
    }
    return this.#gone[0]
  }

  /** Finds assignments that are not in the list, and after the last page those that are only in the list. */
  async #compareSome(held: ReadonlyMap<number, Held>, now: number): Promise<Differences> {
    if (this.#comparedUpTo === undefined) {
      if (now < this.#nextCompareAt) return noDifferences
      this.#nextCompareAt = now + (this.#hasFailed ? COMPARE_AFTER_ERROR_MS : COMPARE_EVERY_MS)
      this.#hasFailed = false
      this.#comparison += 1
      this.#comparedUpTo = -1
    }
    const { database, name } = this.#options
    const page = await database.read(assignmentsOf(name, this.#comparedUpTo, PAGE_SIZE))
    const missing: Assignment[] = []
    for (const assignment of page) {
      const known = held.get(assignment.num)
      if (known === undefined) missing.push(assignment)
      else known.comparison = this.#comparison
    }
    this.#comparedUpTo = page.length === PAGE_SIZE ? page.at(-1)?.num : undefined
    if (this.#comparedUpTo !== undefined) return { missing, lost: [] }
    const lost: number[] = []
    for (const [num, { comparison }] of held) if (comparison !== this.#comparison) lost.push(num)
    return { missing, lost }
  }

  /** The statement may have been carried out before the error. */
  async #certainly<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      this.#nextCompareAt = Number.NEGATIVE_INFINITY
      this.#hasFailed = true
      throw error
    }
  }
}
