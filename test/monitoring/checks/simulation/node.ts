import { type ClockOffset, nextOffset } from '../../../../src/lib/clock-offset.ts'
import { AssignedChecks } from '../../../../src/monitoring/checks/assigned-checks.ts'
import { CheckConfigCache } from '../../../../src/monitoring/checks/check-config.ts'
import type { CheckSource } from '../../../../src/monitoring/checks/check-source.ts'
import { SingleNodeChecks } from '../../../../src/monitoring/checks/single-node-checks.ts'
import type { Database } from '../../../../src/storage/database.ts'
import { nothingObserved, type Observation } from '../../../../src/storage/nodes/judge.ts'
import { defaultTiming } from '../../../../src/storage/nodes/node.ts'
import type { Dice } from '../../../support/dice.ts'
import { testSealer } from '../../../support/installation.ts'
import type { Check } from './check.ts'

/** Quartz is off by 0.01 %; a clock that is being corrected by 0.05 %. */
const MAX_DRIFT = 0.0005
const MAX_ROUND_TRIP_MS = 40
/** How far an operator or a virtual machine sets the clock of a machine. */
const MAX_JUMP_MS = 300_000

/** What a node needs of the simulated world. */
export interface Surroundings {
  readonly now: number
  readonly dice: Dice
  /** One node on SQLite, which has the clock of the world and writes no assignments. */
  readonly alone: boolean
  databaseOf(node: SimulatedNode): Database
}

/** One process. Its machine has a monotonic clock that drifts, and a wall clock that is also set to wrong times. */
export class SimulatedNode {
  readonly #world: Surroundings
  readonly #startedAt: number
  readonly #drift: number
  #wallErrorMs: number
  #offset: ClockOffset | undefined
  #renewed = { elapsed: Number.NEGATIVE_INFINITY, wall: 0 }
  /** Changes after the node was declared dead. */
  name: string
  source: CheckSource
  /** False once the process was killed. */
  isRunning = true
  stalledUntil = 0
  unreachableUntil = 0
  observation: Observation = nothingObserved
  /** Checks under way; lost when the node is killed or declared dead. */
  readonly inFlight = new Set<Check>()

  constructor(name: string, world: Surroundings) {
    this.#world = world
    this.#startedAt = world.now - world.dice.between(0, 1_000_000)
    this.#drift = (world.dice.roll() - 0.5) * 2 * MAX_DRIFT
    this.#wallErrorMs = world.dice.between(-MAX_JUMP_MS, MAX_JUMP_MS)
    this.name = name
    this.source = this.#newSource()
    this.renewed()
  }

  /** Whether it runs and reaches the database. */
  get isServing(): boolean {
    return this.isRunning && this.stalledUntil <= this.#world.now && this.unreachableUntil <= this.#world.now
  }

  /** The monotonic clock of its machine. */
  get elapsed(): number {
    return (this.#world.now - this.#startedAt) * (1 + this.#drift)
  }

  /** What it takes for the time of the database. */
  get clockNow(): number {
    return this.#world.alone ? this.#world.now : Math.floor(this.elapsed + (this.#offset as ClockOffset).offsetMs)
  }

  isAlive(): boolean {
    const { aliveForMs } = defaultTiming
    return this.elapsed - this.#renewed.elapsed < aliveForMs && this.#wall - this.#renewed.wall < aliveForMs
  }

  jump(): void {
    const { dice } = this.#world
    this.#wallErrorMs = dice.between(-MAX_JUMP_MS, MAX_JUMP_MS)
  }

  /** A renewal arrived: the node is alive, and has read the clock of the database. */
  renewed(): void {
    const { dice, now } = this.#world
    this.#renewed = { elapsed: this.elapsed, wall: this.#wall }
    const roundTripMs = dice.roll() * MAX_ROUND_TRIP_MS
    const remoteMs = now - dice.roll() * roundTripMs
    this.#offset = nextOffset(this.#offset, {
      remoteMs,
      sentAt: this.elapsed - roundTripMs,
      receivedAt: this.elapsed,
    }).offset
  }

  /** It was declared dead: it drops its work and joins again. */
  rejoin(name: string): void {
    this.name = name
    this.inFlight.clear()
    this.source = this.#newSource()
  }

  get #wall(): number {
    return this.#world.now + this.#wallErrorMs
  }

  #newSource(): CheckSource {
    const configs = new CheckConfigCache(testSealer)
    const database = this.#world.databaseOf(this)
    if (this.#world.alone) return new SingleNodeChecks(database, configs)
    return new AssignedChecks({
      database,
      configs,
      name: this.name,
      cluster: { isAlive: () => this.isAlive(), members: () => [], reportMonitors: () => {} },
      elapsed: () => this.elapsed,
    })
  }
}
