import type { Dice } from '../../../support/dice.ts'
import { type Check, isAwaited } from './check.ts'
import type { SimulatedNode } from './node.ts'
import type { Store } from './store.ts'

const TICK_MS = 500

interface Surroundings {
  readonly now: number
  readonly dice: Dice
  readonly store: Store
  readonly alone: boolean
  readonly serving: readonly SimulatedNode[]
  isCurrent(check: Check): boolean
}

/** When each node looks for work next: up to half a second after something is due for it. */
export class Ticks {
  readonly #world: Surroundings
  readonly #planned = new Map<SimulatedNode, number>()

  constructor(world: Surroundings) {
    this.#world = world
  }

  /** Monitors without a node are due for any of them. */
  plan(): void {
    const { serving, dice, now, alone, store } = this.#world
    for (const node of this.#planned.keys()) if (!node.isServing) this.#planned.delete(node)
    for (const node of serving) {
      const checks = [...node.inFlight].filter((check) => isAwaited(check, this.#world))
      const own = new Set(checks.map(({ monitor }) => monitor.num))
      const due = alone ? store.nextDue(own) : store.nextDueOf(node.name, own)
      if (due !== null) this.#planFor(node, due + now - node.clockNow)
    }
    if (!alone && serving.length > 0 && store.hasMonitorsWithoutNode()) this.#planFor(dice.pick(serving), now)
  }

  /** Removes the first one and returns it, if it comes before `at`. */
  takeBefore(at: number): { readonly node: SimulatedNode; readonly at: number } | undefined {
    const [tick] = [...this.#planned].toSorted(([, a], [, b]) => a - b)
    if (tick === undefined || tick[1] > at) return undefined
    this.#planned.delete(tick[0])
    return { node: tick[0], at: tick[1] }
  }

  #planFor(node: SimulatedNode, due: number): void {
    const { dice, now } = this.#world
    const planned = this.#planned.get(node)
    if (planned !== undefined && planned <= due + TICK_MS) return
    this.#planned.set(node, Math.max(now, due) + dice.between(0, TICK_MS))
  }
}
