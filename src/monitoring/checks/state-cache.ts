import type { StateUpdate } from '../monitor-states/save.ts'
import { BoundedCache } from './bounded-cache.ts'

/** The part of a state that the next check needs. */
export type CachedState = Pick<StateUpdate, 'orgId' | 'revision' | 'fields' | 'memory' | 'openIncident'>

const CAPACITY = 50_000

/**
 * States that this node wrote, so that the next check need not read and parse them. An entry is current
 * while its revision is: every other write of a monitor increments it.
 */
export class StateCache {
  readonly #states = new BoundedCache<CachedState>(CAPACITY)

  set(update: StateUpdate): void {
    this.#states.set(update.num, update)
  }

  /** The state at this revision, or undefined. Writing a state increments its revision by one. */
  get(num: number, revision: number): CachedState | undefined {
    const state = this.#states.get(num)
    return state !== undefined && state.revision + 1 === revision ? state : undefined
  }
}
