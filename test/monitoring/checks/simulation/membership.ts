import type { Member } from '../../../../src/storage/database.ts'
import { judgeNodes } from '../../../../src/storage/nodes/judge.ts'
import { defaultTiming } from '../../../../src/storage/nodes/node.ts'
import type { Dice } from '../../../support/dice.ts'
import type { SimulatedNode } from './node.ts'
import type { Store } from './store.ts'

/** What it needs of the simulated world. */
interface Surroundings {
  readonly now: number
  readonly dice: Dice
  readonly store: Store
  readonly nodes: readonly SimulatedNode[]
  after(ms: number, run: () => void | Promise<void>, kind: 'renewal'): void
  note(what: string): void
}

const RETRY_MS = 500

/**
 * Renewals of the simulated nodes, as storage/nodes makes them. They are simulated one by one only while some node is in
 * trouble, because nothing follows from the others.
 */
export class Membership {
  readonly #world: Surroundings
  /** When each member renewed its row, by the database's clock. */
  readonly #renewedAt = new Map<string, number>()
  readonly #renewing = new Set<SimulatedNode>()
  #count = 0

  constructor(world: Surroundings) {
    this.#world = world
  }

  join(): string {
    this.#count += 1
    const name = `node-${this.#count}`
    this.#renewedAt.set(name, this.#world.now)
    this.#world.store.addNode(name)
    return name
  }

  /** The renewals of nodes that are well arrived while time passed. */
  renewAll(nodes: readonly SimulatedNode[]): void {
    for (const node of nodes) {
      if (this.#renewing.has(node)) continue
      node.renewed()
      this.#renewedAt.set(node.name, this.#world.now)
    }
  }

  /** Some node may be in trouble from now on: the others look every two seconds, from different moments on. */
  watch(nodes: readonly SimulatedNode[]): void {
    for (const node of nodes) {
      if (this.#renewing.has(node)) continue
      this.#renewing.add(node)
      this.#later(node, this.#world.dice.between(0, defaultTiming.renewEveryMs))
    }
  }

  #later(node: SimulatedNode, ms: number): void {
    this.#world.after(ms, () => this.#renew(node), 'renewal')
  }

  #renew(node: SimulatedNode): void {
    const { now, nodes, dice } = this.#world
    if (!node.isRunning) {
      this.#renewing.delete(node)
      return
    }
    if (!node.isServing) {
      const freeAt = Math.max(node.stalledUntil, node.unreachableUntil)
      this.#later(node, freeAt - now + dice.between(0, RETRY_MS))
      return
    }
    if (!this.#renewedAt.has(node.name)) this.#rejoin(node)
    node.renewed()
    this.#renewedAt.set(node.name, now)
    this.#judge(node)
    if (this.#isCalm(nodes)) this.#renewing.delete(node)
    else this.#later(node, defaultTiming.renewEveryMs)
  }

  #rejoin(node: SimulatedNode): void {
    const name = this.join()
    this.#world.note(`${node.name} finds itself declared dead and becomes ${name}`)
    node.rejoin(name)
  }

  #judge(node: SimulatedNode): void {
    const others: Member[] = []
    for (const [name, renewedAt] of this.#renewedAt) {
      if (name !== node.name) others.push({ name, renewedAt, process: null, monitors: 0 })
    }
    const { observation, dead } = judgeNodes(node.observation, others, node.elapsed, defaultTiming)
    node.observation = observation
    for (const { name } of dead) {
      this.#world.note(`${node.name} declares ${name} dead`)
      this.#renewedAt.delete(name)
      this.#world.store.removeNode(name)
    }
  }

  /** Every member is a node that is well. */
  #isCalm(nodes: readonly SimulatedNode[]): boolean {
    const names = new Set(nodes.map(({ name }) => name))
    return nodes.every(({ isServing }) => isServing) && this.#renewedAt.keys().every((name) => names.has(name))
  }
}
