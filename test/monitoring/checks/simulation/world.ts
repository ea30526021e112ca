import assert from 'node:assert/strict'
import type { Sample } from '../../../../src/contract/probe.ts'
import { CheckConfigCache } from '../../../../src/monitoring/checks/check-config.ts'
import { type Claim, claimDue, claimWithoutLease } from '../../../../src/monitoring/checks/claim.ts'
import { heartbeatSample } from '../../../../src/monitoring/checks/overdue-heartbeat.ts'
import { checkClaims } from '../../../../src/monitoring/checks/release.ts'
import { type CheckResult, saveResult } from '../../../../src/monitoring/checks/save-results.ts'
import { StateCache } from '../../../../src/monitoring/checks/state-cache.ts'
import { nodeLock } from '../../../../src/storage/node-lock.ts'
import type { Dice } from './dice.ts'
import { inspect, inspectPace } from './inspect.ts'
import type { Modelled } from './model.ts'
import type { Store } from './store.ts'
import { type Condition, sampleOf } from './targets.ts'
import { Windows } from './windows.ts'

/** One life of a process: after its death another one takes its place under another name. */
export interface Node {
  readonly name: string
  alive: boolean
  stalledUntil: number
  /** Checks under way; a death forgets them. */
  readonly inFlight: Set<Check>
  readonly setups: CheckConfigCache
  readonly stands: StateCache
}

export interface Check {
  readonly claim: Claim
  readonly monitor: Modelled
  /** The monitor's epoch when the check began. */
  readonly epoch: number
  /** As long as it may take, by what the monitor was when it began. */
  readonly longestMs: number
}

type Seen = Omit<CheckResult, 'claim'>

interface Event {
  readonly at: number
  readonly run: () => void | Promise<void>
}

/** How long a look takes at most, by itself and as a share of the interval: one that takes longer is late by itself. */
const LONGEST_LOOK_MS = 90_000
const LONGEST_LOOK_SHARE = 0.1
const RELEASE_EVERY_MS = 5_000
const TICK_MS = 500
/** A look at a heartbeat takes no time, but writing what came of it may. */
const LONGEST_WRITE_MS = 3_000

/** Nodes, targets and time. What they do is the engine's own code; what should come of it is the model's. */
export class World {
  readonly store: Store
  readonly dice: Dice
  readonly monitors = new Map<string, Modelled>()
  readonly conditions = new Map<string, Condition>()
  readonly windows = new Windows()
  readonly trace: string[] = []
  /** One node has the schedule to itself, and writes no claims. */
  readonly alone: boolean
  now: number
  landed = 0
  /** Somebody does something to a monitor that is being checked. */
  meddle: (monitor: Modelled) => void = () => {}
  /** Some node is there again. */
  wake: () => void = () => {}
  #nodes: Node[] = []
  #lives = 0
  #queue: Event[] = []
  #tickAt: number | undefined

  constructor(store: Store, dice: Dice, now: number, nodes: number) {
    this.alone = nodes === 1
    this.store = store
    this.dice = dice
    this.now = now
    for (let i = 0; i < nodes; i += 1) this.#start()
  }

  /** Nodes that can do something now. */
  get serving(): readonly Node[] {
    return this.#nodes.filter((node) => node.alive && node.stalledUntil <= this.now)
  }

  after(ms: number, run: Event['run']): void {
    this.#queue.push({ at: this.now + ms, run })
  }

  note(what: string): void {
    this.trace.push(`${this.now} ${what}`)
  }

  /** The next thing happens, whatever it is. */
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

  /** A node that is alone knows what it has under way; between nodes a claim moves the due time. */
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
        inspectPace(monitor, longestLook(monitor))
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
      // What is there to be seen of a heartbeat is seen when the check begins.
      const seen = monitor.isCron ? { sample: this.overdue(check, now), at: now } : undefined
      this.after(this.lookMs(monitor), () => this.#arrive(node, check, seen))
    }
  }

  #claim({ name, inFlight, setups, stands }: Node, now: number, limit: number): readonly Claim[] {
    if (!this.alone) return this.store.write(() => claimDue(name, now, limit, setups))
    return this.store.read(
      claimWithoutLease({ underWay: underWay(inFlight), states: stands, configs: setups }, now, limit),
    )
  }

  begin(node: Node, claim: Claim): Check {
    const monitor = this.monitors.get(claim.monitorId)
    assert.ok(monitor !== undefined, 'a deleted monitor is not claimed')
    assert.notEqual(claim.current.state, 'PAUSED', 'a paused monitor is not claimed')
    assert.equal(claim.current.state, monitor.state)
    // A check by hand beside one that is under way shares its claim: the first to end is the one that counts.
    if (claim.revision !== monitor.claimedAt) monitor.epoch += 1
    monitor.claimedAt = claim.revision
    const check = { claim, monitor, epoch: monitor.epoch, longestMs: longestLook(monitor) }
    node.inFlight.add(check)
    this.#disturb(node, monitor)
    return check
  }

  /** What happens while a check is under way is what goes wrong, so more of it happens then than chance would have it. */
  #disturb(node: Node, monitor: Modelled): void {
    const fate = this.dice.roll()
    const withinMs = this.dice.between(0, longestLook(monitor))
    if (fate < 0.15) this.after(withinMs, () => this.meddle(monitor))
    if (fate < 0.03 || fate > 0.98) this.after(withinMs, () => this.kill(node))
    else if (fate > 0.955) this.after(withinMs, () => this.stall(node))
  }

  lookMs(monitor: Modelled): number {
    return this.dice.between(0, longestLook(monitor))
  }

  #arrive(node: Node, check: Check, seen: Seen | undefined): void {
    if (!node.alive) return
    if (node.stalledUntil > this.now) {
      this.after(node.stalledUntil - this.now, () => this.#arrive(node, check, seen))
      return
    }
    node.inFlight.delete(check)
    if (this.dice.chance(0.01)) {
      this.note(`${node.name} could not write its result of ${check.monitor.num}`)
      check.monitor.lostClaims += 1
      return
    }
    this.#land(node, check, seen ?? { sample: this.lookAt(check.monitor), at: this.now })
  }

  #land(node: Node, check: Check, { sample, at }: Seen): void {
    const { monitor } = check
    const finding = { claim: check.claim, sample, at }
    const expected = this.isCurrent(check)
    const landing = this.store.write(() => saveResult(finding, ''))
    if (typeof landing === 'object') node.stands.set(landing)
    const landed = landing !== 'overtaken'
    this.note(`${node.name} lands ${sample.outcome} of ${monitor.num}: ${landed}`)
    assert.equal(landed, expected, 'a result lands if and only if the monitor is what it was')
    if (!landed) return
    this.took(check, sample, at)
    if (sample.outcome !== 'inconclusive' && this.dice.chance(0.1)) {
      assert.equal(
        this.store.write(() => saveResult(finding, '')),
        'overtaken',
        'no result lands twice',
      )
    }
    inspect(this.store, monitor)
  }

  /** Whether nothing has happened to the monitor since the check began. */
  isCurrent({ monitor, epoch }: Check): boolean {
    return this.monitors.has(monitor.id) && monitor.epoch === epoch
  }

  took({ monitor }: Check, sample: Sample, at = this.now): void {
    this.landed += 1
    if (sample.outcome !== 'inconclusive') monitor.judge(sample, at)
    monitor.looked()
    assert.equal(this.store.stateOf(monitor.num)?.claimed_by, null, "a check that has landed is nobody's claim")
  }

  /** What the engine makes of a heartbeat that has not come, held against what the model says. */
  overdue({ claim, monitor }: Check, now: number): Sample {
    const sample = heartbeatSample(claim, now)
    const { deadline, state, reportedFailure } = monitor
    const late = deadline !== null && now >= deadline
    const expected = late ? 'failure' : deadline === null || state === 'PENDING' ? 'inconclusive' : undefined
    assert.equal(sample.outcome, expected ?? (reportedFailure ? 'failure' : 'success'))
    return sample
  }

  lookAt({ id }: Modelled): Sample {
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
    // Often for about as long as a claim holds: then the check comes back while another node makes it anew.
    const ms = this.dice.chance(0.5) ? this.dice.between(1_000, 400_000) : this.dice.between(170_000, 200_000)
    this.note(`${node.name} stalls for ${ms} ms`)
    node.stalledUntil = this.now + ms
    for (const { monitor } of node.inFlight) monitor.lostClaims += 1
    this.after(ms, () => this.#release())
  }

  #start(): void {
    this.#lives += 1
    const node = {
      name: `node-${this.#lives}`,
      alive: true,
      stalledUntil: 0,
      inFlight: new Set<Check>(),
      setups: new CheckConfigCache(),
      stands: new StateCache(),
    }
    this.#nodes.push(node)
    this.note(`${node.name} starts`)
  }

  /** What every living node does every few seconds, and one that starts at once. */
  async #release(): Promise<void> {
    const [self] = this.serving
    if (self === undefined) return
    this.wake()
    const living = new Set(this.#nodes.map(({ name }) => nodeLock(name)))
    const database = this.store.database((name) => living.has(name))
    const released = await checkClaims.releaseOfDead(database, self.name, this.now)
    if (released > 0) this.note(`${self.name} releases ${released}`)
  }
}

function longestLook({ isCron, periodMs }: Modelled): number {
  return isCron ? LONGEST_WRITE_MS : Math.min(LONGEST_LOOK_MS, LONGEST_LOOK_SHARE * periodMs)
}

function underWay(checks: ReadonlySet<Check>): ReadonlySet<number> {
  return new Set([...checks].map(({ monitor }) => monitor.num))
}
