import assert from 'node:assert/strict'
import type { Sample } from '../../../../src/contract/probe.ts'
import { CheckConfigCache } from '../../../../src/monitoring/checks/check-config.ts'
import { checkQueue } from '../../../../src/monitoring/checks/check-queue.ts'
import { type Claim, claimDue, claimWithoutLease } from '../../../../src/monitoring/checks/claim.ts'
import { heartbeatSample } from '../../../../src/monitoring/checks/overdue-heartbeat.ts'
import { type CheckResult, saveResult } from '../../../../src/monitoring/checks/save-results.ts'
import { StateCache } from '../../../../src/monitoring/checks/state-cache.ts'
import { testSealer } from '../../../support/installation.ts'
import type { Dice } from './dice.ts'
import { inspect, inspectTiming } from './inspect.ts'
import type { ModelMonitor } from './model.ts'
import { ModelWindows } from './model-windows.ts'
import type { Store } from './store.ts'
import { type Condition, sampleOf } from './targets.ts'

/** One process; a killed one is replaced by another with a new name. */
export interface Node {
  readonly name: string
  alive: boolean
  stalledUntil: number
  /** Checks under way; lost when the node is killed. */
  readonly inFlight: Set<Check>
  readonly configs: CheckConfigCache
  readonly states: StateCache
}

export interface Check {
  readonly claim: Claim
  readonly monitor: ModelMonitor
  /** The monitor's epoch when the check began. */
  readonly epoch: number
  /** How long it may take, by the settings when it began. */
  readonly longestMs: number
}

type Observation = Omit<CheckResult, 'claim'>

interface Event {
  readonly at: number
  readonly run: () => void | Promise<void>
}

/** The longest check, in milliseconds and as a share of the interval. */
const LONGEST_CHECK_MS = 90_000
const LONGEST_CHECK_SHARE = 0.1
const RELEASE_EVERY_MS = 5_000
const TICK_MS = 500
/** A heartbeat check takes no time, but writing its result may. */
const LONGEST_WRITE_MS = 3_000

/** Nodes, targets and time. Runs the engine's code and compares the outcome with the model. */
export class World {
  readonly store: Store
  readonly dice: Dice
  readonly monitors = new Map<string, ModelMonitor>()
  readonly conditions = new Map<string, Condition>()
  readonly windows = new ModelWindows()
  readonly trace: string[] = []
  /** There is one node, which writes no leases. */
  readonly alone: boolean
  now: number
  saved = 0
  /** Acts on a monitor that is being checked. */
  interfere: (monitor: ModelMonitor) => void = () => {}
  /** Called when some node is running again. */
  wake: () => void = () => {}
  #nodes: Node[] = []
  #nodeCount = 0
  #queue: Event[] = []
  #tickAt: number | undefined

  constructor(store: Store, dice: Dice, now: number, nodes: number) {
    this.alone = nodes === 1
    this.store = store
    this.dice = dice
    this.now = now
    for (let i = 0; i < nodes; i += 1) this.#start()
  }

  /** Nodes that are alive and not stalled. */
  get serving(): readonly Node[] {
    return this.#nodes.filter((node) => node.alive && node.stalledUntil <= this.now)
  }

  after(ms: number, run: Event['run']): void {
    this.#queue.push({ at: this.now + ms, run })
  }

  note(what: string): void {
    this.trace.push(`${this.now} ${what}`)
  }

  /** Runs the next event. */
  async step(): Promise<void> {
    const due = this.#nextDue()
    if (due !== null && this.serving.length > 0) {
      const at = Math.max(this.now, due) + this.dice.between(0, TICK_MS)
      this.#tickAt = Math.min(this.#tickAt ?? Number.POSITIVE_INFINITY, at)
    }
    const next = this.#queue.reduce<Event | undefined>((a, b) => (a === undefined || b.at < a.at ? b : a), undefined)
    if (this.#tickAt !== undefined && this.#tickAt <= (next?.at ?? Number.POSITIVE_INFINITY)) {
      this.#pass(this.#tickAt)
      this.#tickAt = undefined
      this.#tick()
    } else if (next !== undefined) {
      this.#queue.splice(this.#queue.indexOf(next), 1)
      this.#pass(next.at)
      await next.run()
    }
  }

  /** A single node skips what it has under way; between nodes a lease moves the due time. */
  #nextDue(): number | null {
    const own = this.alone ? underWay(new Set(this.#nodes.flatMap(({ inFlight }) => [...inFlight]))) : new Set<number>()
    return this.store.nextDue(own)
  }

  #pass(to: number): void {
    const at = Math.max(to, this.now)
    if (this.serving.length > 0) {
      for (const check of this.alone ? this.#nodes.flatMap(({ inFlight }) => [...inFlight]) : []) {
        if (!this.isCurrent(check)) check.monitor.slowMs = Math.max(check.monitor.slowMs, check.longestMs)
      }
      for (const monitor of this.monitors.values()) {
        monitor.pass(this.now, at)
        inspectTiming(monitor, longestCheckMs(monitor))
      }
    }
    this.now = at
  }

  #tick(): void {
    const { serving, dice, now } = this
    if (serving.length === 0) return
    const node = dice.pick(serving)
    for (const claim of this.#claim(node, now, dice.between(1, 5))) {
      const check = this.begin(node, claim)
      const { monitor } = check
      this.note(`${node.name} claims ${monitor.num} at revision ${claim.revision}`)
      // A heartbeat is checked when the check begins.
      const observation = monitor.isCron ? { sample: this.heartbeatSampleOf(check, now), at: now } : undefined
      this.after(this.checkMs(monitor), () => this.#finish(node, check, observation))
    }
  }

  #claim({ name, inFlight, configs, states }: Node, now: number, limit: number): readonly Claim[] {
    if (!this.alone) return this.store.write(() => claimDue(name, now, limit, configs)).claims
    return this.store.read(claimWithoutLease({ underWay: underWay(inFlight), states, configs }, now, limit)).claims
  }

  begin(node: Node, claim: Claim): Check {
    const monitor = this.monitors.get(claim.monitorId)
    assert.ok(monitor !== undefined, 'a deleted monitor is not claimed')
    assert.notEqual(claim.current.state, 'PAUSED', 'a paused monitor is not claimed')
    assert.equal(claim.current.state, monitor.state)
    // A check by hand shares the lease of one that is under way: the first result is saved.
    if (claim.revision !== monitor.claimedAt) monitor.epoch += 1
    monitor.claimedAt = claim.revision
    const check = { claim, monitor, epoch: monitor.epoch, longestMs: longestCheckMs(monitor) }
    node.inFlight.add(check)
    this.#disturb(node, monitor)
    return check
  }

  /** Makes more happen during checks, because races happen there. */
  #disturb(node: Node, monitor: ModelMonitor): void {
    const roll = this.dice.roll()
    const withinMs = this.dice.between(0, longestCheckMs(monitor))
    if (roll < 0.15) this.after(withinMs, () => this.interfere(monitor))
    if (roll < 0.03 || roll > 0.98) this.after(withinMs, () => this.kill(node))
    else if (roll > 0.955) this.after(withinMs, () => this.stall(node))
  }

  checkMs(monitor: ModelMonitor): number {
    return this.dice.between(0, longestCheckMs(monitor))
  }

  #finish(node: Node, check: Check, observation: Observation | undefined): void {
    if (!node.alive) return
    if (node.stalledUntil > this.now) {
      this.after(node.stalledUntil - this.now, () => this.#finish(node, check, observation))
      return
    }
    node.inFlight.delete(check)
    if (this.dice.chance(0.01)) {
      this.note(`${node.name} could not write its result of ${check.monitor.num}`)
      check.monitor.lostClaims += 1
      return
    }
    this.#save(node, check, observation ?? { sample: this.probe(check.monitor), at: this.now })
  }

  #save(node: Node, check: Check, { sample, at }: Observation): void {
    const { monitor } = check
    const result = { claim: check.claim, sample, at }
    const expected = this.isCurrent(check)
    const outcome = this.store.write(() => saveResult(result, ''))
    if (typeof outcome === 'object') node.states.set(outcome)
    const isSaved = outcome !== 'stale'
    this.note(`${node.name} saves ${sample.outcome} of ${monitor.num}: ${isSaved}`)
    assert.equal(isSaved, expected, 'a result is saved if and only if the monitor is unchanged')
    if (!isSaved) return
    this.recordSaved(check, sample, at)
    if (sample.outcome !== 'inconclusive' && this.dice.chance(0.1)) {
      assert.equal(
        this.store.write(() => saveResult(result, '')),
        'stale',
        'no result is saved twice',
      )
    }
    inspect(this.store, monitor)
  }

  /** Whether nothing made the result stale since the check began. */
  isCurrent({ monitor, epoch }: Check): boolean {
    return this.monitors.has(monitor.id) && monitor.epoch === epoch
  }

  recordSaved({ monitor }: Check, sample: Sample, at = this.now): void {
    this.saved += 1
    if (sample.outcome !== 'inconclusive') monitor.judge(sample, at)
    monitor.checked()
    assert.equal(this.store.stateOf(monitor.num)?.claimed_by, null, 'a saved check is no longer claimed')
  }

  /** The engine's check of a heartbeat, compared with the model. */
  heartbeatSampleOf({ claim, monitor }: Check, now: number): Sample {
    const sample = heartbeatSample(claim, now)
    const { deadline, state, reportedFailure } = monitor
    const isLate = deadline !== null && now >= deadline
    const expected = isLate ? 'failure' : deadline === null || state === 'PENDING' ? 'inconclusive' : undefined
    assert.equal(sample.outcome, expected ?? (reportedFailure ? 'failure' : 'success'))
    return sample
  }

  probe({ id }: ModelMonitor): Sample {
    return sampleOf(this.conditions.get(id), this.dice)
  }

  kill(victim?: Node): void {
    const node = victim ?? this.dice.pick(this.#nodes)
    if (node?.alive !== true) return
    this.note(`${node.name} dies`)
    node.alive = false
    for (const { monitor } of node.inFlight) monitor.setbacks += 1
    this.#nodes.splice(this.#nodes.indexOf(node), 1)
    this.after(this.dice.between(0, RELEASE_EVERY_MS), () => this.#release())
    this.after(this.dice.between(1_000, 120_000), async () => {
      this.#start()
      await this.#release()
    })
  }

  stall(victim?: Node): void {
    const node = victim ?? this.dice.pick(this.serving)
    if (node === undefined || !this.serving.includes(node)) return
    // Often for about as long as a lease, so that the check ends while another node repeats it.
    const ms = this.dice.chance(0.5) ? this.dice.between(1_000, 400_000) : this.dice.between(170_000, 200_000)
    this.note(`${node.name} stalls for ${ms} ms`)
    node.stalledUntil = this.now + ms
    for (const { monitor } of node.inFlight) monitor.lostClaims += 1
    this.after(ms, () => this.#release())
  }

  #start(): void {
    this.#nodeCount += 1
    const node = {
      name: `node-${this.#nodeCount}`,
      alive: true,
      stalledUntil: 0,
      inFlight: new Set<Check>(),
      configs: new CheckConfigCache(testSealer),
      states: new StateCache(),
    }
    this.#nodes.push(node)
    this.note(`${node.name} starts`)
  }

  /** Every node does this every few seconds, and when it starts. */
  async #release(): Promise<void> {
    const [self] = this.serving
    if (self === undefined) return
    this.wake()
    const living = new Set(this.#nodes.map(({ name }) => name))
    const dead = this.store.read(checkQueue.claimants()).filter((name) => !living.has(name))
    const released = dead.reduce((n, name) => n + this.store.write(() => checkQueue.releaseOf(name, this.now)), 0)
    if (released > 0) this.note(`${self.name} releases ${released}`)
  }
}

function longestCheckMs({ isCron, periodMs }: ModelMonitor): number {
  return isCron ? LONGEST_WRITE_MS : Math.min(LONGEST_CHECK_MS, LONGEST_CHECK_SHARE * periodMs)
}

function underWay(checks: ReadonlySet<Check>): ReadonlySet<number> {
  return new Set([...checks].map(({ monitor }) => monitor.num))
}
