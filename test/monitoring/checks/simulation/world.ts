import assert from 'node:assert/strict'
import type { Sample } from '../../../../src/contract/probe.ts'
import type { Claim } from '../../../../src/monitoring/checks/claim.ts'
import { type CheckResult, saveResult } from '../../../../src/monitoring/checks/save-results.ts'
import type { Database } from '../../../../src/storage/database.ts'
import type { Dice } from '../../../support/dice.ts'
import { type Check, heartbeatSampleOf, isAwaited, longestCheckMs } from './check.ts'
import { inspect, inspectSpacing, inspectTiming } from './inspect.ts'
import { Membership } from './membership.ts'
import type { ModelMonitor } from './model.ts'
import { ModelWindows } from './model-windows.ts'
import { SimulatedNode } from './node.ts'
import type { Store } from './store.ts'
import { type Condition, sampleOf } from './targets.ts'
import { Ticks } from './ticks.ts'

type Observation = Omit<CheckResult, 'claim'>

interface Event {
  readonly at: number
  readonly run: () => void | Promise<void>
  readonly kind: 'renewal' | undefined
}

/** How long the result writer tries. */
const GIVE_UP_MS = 60_000

/** Nodes, targets and time. Runs the engine's code and compares the outcome with the model. */
export class World {
  readonly store: Store
  readonly dice: Dice
  readonly monitors = new Map<string, ModelMonitor>()
  readonly conditions = new Map<string, Condition>()
  readonly windows = new ModelWindows()
  readonly trace: string[] = []
  /** There is one node, on SQLite. */
  readonly alone: boolean
  /** The time of the database. */
  now: number
  saved = 0
  nodes: SimulatedNode[] = []
  /** Acts on a monitor that is being checked. */
  interfere: (monitor: ModelMonitor) => void = () => {}
  /** Called when some node is running again. */
  wake: () => void = () => {}
  readonly #membership = new Membership(this)
  #queue: Event[] = []
  readonly #ticks = new Ticks(this)

  constructor(store: Store, dice: Dice, now: number, nodes: number) {
    this.alone = nodes === 1
    this.store = store
    this.dice = dice
    this.now = now
    for (let i = 0; i < nodes; i += 1) this.#start()
  }

  get serving(): readonly SimulatedNode[] {
    return this.nodes.filter(({ isServing }) => isServing)
  }

  /** The database as a node reaches it. */
  databaseOf(node: SimulatedNode): Database {
    return this.store.database(() => node.isServing)
  }

  after(ms: number, run: Event['run'], kind?: 'renewal'): void {
    this.#queue.push({ at: this.now + ms, run, kind })
  }

  note(what: string): void {
    this.trace.push(`${this.now} ${what}`)
  }

  /** Runs the next event, and all renewals of nodes before it. */
  async step(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      this.#ticks.plan()
      const next = this.#queue.reduce<Event | undefined>((a, b) => (a === undefined || b.at < a.at ? b : a), undefined)
      const tick = this.#ticks.takeBefore(next?.at ?? Number.POSITIVE_INFINITY)
      if (tick !== undefined) {
        this.#pass(tick.at)
        await this.#tick(tick.node)
        isDone = true
      } else if (next === undefined) return
      else {
        this.#queue.splice(this.#queue.indexOf(next), 1)
        this.#pass(next.at)
        await next.run()
        isDone = next.kind === undefined
      }
    }
  }

  #pass(to: number): void {
    const at = Math.max(to, this.now)
    const isServed = this.serving.length > 0
    // A node whose clock was set forward, or that comes back, begins nothing until its next renewal.
    const isUncertain = this.serving.some((node) => !node.isAlive())
    const awaited = new Map<ModelMonitor, Check>()
    for (const node of this.serving) {
      for (const check of node.inFlight) if (isAwaited(check, this)) awaited.set(check.monitor, check)
    }
    const names = new Set(this.serving.map(({ name }) => name))
    for (const monitor of this.monitors.values()) {
      const row = this.store.stateOf(monitor.num)
      const holder = row?.claimed_by ?? null
      if (holder === null) monitor.holder = null
      // Its node is gone or cut off: it is taken over when the others have noticed that.
      const isLeft = holder !== null && !names.has(holder) && !this.alone
      if (isUncertain || isLeft) monitor.setbacks = Math.max(1, monitor.setbacks)
      if (!isServed) continue
      const check = awaited.get(monitor)
      monitor.pass(this.now, at, check ? null : (row?.next_check_at ?? null))
      // A single node waits for it, also for a long check of the settings before a change.
      if (check && !this.isCurrent(check)) monitor.uncheckedMs = 0
      inspectTiming(monitor, longestCheckMs(monitor))
    }
    this.now = at
    this.#membership.renewAll(this.serving)
  }

  async #tick(node: SimulatedNode): Promise<void> {
    if (!node.isServing) return
    const { claims, isMore } = await node.source.takeDue(node.clockNow, this.dice.between(1, 5))
    this.#noteTakeovers()
    for (const claim of claims) {
      const check = this.begin(node, claim)
      const { monitor } = check
      this.note(`${node.name} begins ${monitor.num} at revision ${claim.revision}`)
      // A heartbeat is checked when the check begins.
      const at = node.clockNow
      const observation = monitor.isCron ? { sample: heartbeatSampleOf(check, at, this.now), at } : undefined
      this.after(this.checkMs(monitor), () => this.#finish(node, check, observation))
    }
    if (isMore) await this.#tick(node)
  }

  /** A node that takes a monitor from another one discards what that one has under way. */
  #noteTakeovers(): void {
    for (const monitor of this.monitors.values()) {
      const holder = this.store.stateOf(monitor.num)?.claimed_by ?? null
      if (monitor.holder !== null && holder !== null && holder !== monitor.holder) {
        this.note(`${holder} takes ${monitor.num} over from ${monitor.holder}`)
        monitor.epoch += 1
      }
      monitor.holder = holder
    }
  }

  begin(node: SimulatedNode, claim: Claim, isByHand = false): Check {
    const monitor = this.monitors.get(claim.monitorId)
    assert.ok(monitor !== undefined, 'a deleted monitor is not checked')
    assert.notEqual(claim.current.state, 'PAUSED', 'a paused monitor is not checked')
    assert.equal(claim.current.state, monitor.state)
    const check = { claim, monitor, epoch: monitor.epoch, isByHand }
    node.inFlight.add(check)
    this.#disturb(node, monitor)
    return check
  }

  /** Makes more happen during checks, because races happen there. */
  #disturb(node: SimulatedNode, monitor: ModelMonitor): void {
    const roll = this.dice.roll()
    const withinMs = this.dice.between(0, longestCheckMs(monitor))
    if (roll < 0.15) this.after(withinMs, () => this.interfere(monitor))
    if (roll < 0.03 || roll > 0.98) this.after(withinMs, () => this.kill(node))
    else if (roll > 0.955) this.after(withinMs, () => this.stall(node))
    else if (roll > 0.93) this.after(withinMs, () => this.disconnect(node))
  }

  checkMs(monitor: ModelMonitor): number {
    return this.dice.between(0, longestCheckMs(monitor))
  }

  /** The probe has ended. The result is written as soon as the node can, for a minute. */
  #finish(node: SimulatedNode, check: Check, observation: Observation | undefined): void {
    if (!node.isRunning || !node.inFlight.has(check)) return
    if (node.stalledUntil > this.now) {
      this.after(node.stalledUntil - this.now, () => this.#finish(node, check, observation))
      return
    }
    const found = observation ?? { sample: this.probe(check.monitor), at: node.clockNow }
    this.#write(node, check, found, this.now + GIVE_UP_MS)
  }

  #write(node: SimulatedNode, check: Check, found: Observation, giveUpAt: number): void {
    if (!node.isRunning || !node.inFlight.has(check)) return
    const isLost = node.unreachableUntil > giveUpAt || (node.isServing && this.dice.chance(0.01))
    const waitMs = Math.max(node.unreachableUntil, node.stalledUntil) - this.now
    if (!isLost && waitMs > 0) {
      this.after(waitMs, () => this.#write(node, check, found, giveUpAt))
      return
    }
    node.inFlight.delete(check)
    if (!isLost) this.#save(node, check, found)
    else {
      this.note(`${node.name} could not write its result of ${check.monitor.num}`)
      check.monitor.setbacks += 1
      node.source.settle(check.claim, 'lost', node.clockNow)
    }
  }

  #save(node: SimulatedNode, check: Check, { sample, at }: Observation): void {
    const { monitor } = check
    const result = { claim: check.claim, sample, at }
    const expected = this.isCurrent(check)
    const outcome = this.store.write(() => saveResult(result, ''))
    node.source.settle(check.claim, outcome, at)
    const isSaved = outcome !== 'stale'
    this.note(`${node.name} saves ${sample.outcome} of ${monitor.num}: ${isSaved}`)
    assert.equal(isSaved, expected, 'a result is saved if and only if the monitor is unchanged')
    if (!isSaved) return
    if (sample.outcome !== 'inconclusive') inspectSpacing(monitor, at)
    this.recordSaved(check, sample, at)
    if (sample.outcome === 'inconclusive' || this.dice.chance(0.1)) {
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

  recordSaved({ claim, monitor }: Check, sample: Sample, at = this.now): void {
    this.saved += 1
    if (sample.outcome !== 'inconclusive') monitor.judge(sample, at, monitor.isCron ? at : claim.startedAt)
    monitor.checked()
  }

  probe({ id }: ModelMonitor): Sample {
    return sampleOf(this.conditions.get(id), this.dice)
  }

  /** The process is killed, and another one is started later. */
  kill(victim = this.dice.pick(this.nodes)): void {
    if (victim?.isRunning !== true) return
    this.note(`${victim.name} is killed`)
    victim.isRunning = false
    this.nodes.splice(this.nodes.indexOf(victim), 1)
    this.#trouble()
    this.after(this.dice.between(1_000, 120_000), () => {
      this.#start()
      this.wake()
    })
  }

  /** The process is stopped for a while. */
  stall(victim = this.dice.pick(this.serving)): void {
    if (victim?.isServing !== true) return
    const ms = this.#troubleMs()
    this.note(`${victim.name} stalls for ${ms} ms`)
    victim.stalledUntil = this.now + ms
    this.#trouble()
    this.after(ms, () => this.#recover())
  }

  /** The host disappears from the network for a while. Its checks go on. */
  disconnect(victim = this.dice.pick(this.serving)): void {
    if (this.alone || victim?.isServing !== true) return
    const ms = this.#troubleMs()
    this.note(`${victim.name} does not reach the database for ${ms} ms`)
    victim.unreachableUntil = this.now + ms
    this.#trouble()
    this.after(ms, () => this.#recover())
  }

  /** The clock of a machine is set. */
  jump(): void {
    if (this.alone || this.serving.length === 0) return
    const node = this.dice.pick(this.serving)
    this.note(`the clock of ${node.name} is set`)
    node.jump()
    this.#membership.watch([node])
  }

  /** Often for about as long as it takes to be declared dead, so that it comes back while others take over. */
  #troubleMs(): number {
    return this.dice.chance(0.5) ? this.dice.between(1_000, 300_000) : this.dice.between(5_000, 20_000)
  }

  #trouble(): void {
    for (const monitor of this.monitors.values()) monitor.setbacks += 1
    if (!this.alone) this.#membership.watch(this.nodes)
  }

  #recover(): void {
    if (this.serving.length > 0) this.wake()
  }

  #start(): void {
    const node = new SimulatedNode(this.#membership.join(), this)
    this.nodes.push(node)
    this.note(`${node.name} starts`)
    if (!this.alone) this.#membership.watch([node])
  }
}
