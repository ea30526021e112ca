import type { Stand } from './standing.ts'

const MOST_KEPT = 20_000

/**
 * Where monitors stand by what this node has written, so that the next check need not read and parse it. Whatever anybody else
 * writes of a monitor makes another revision, and what is kept here is then not looked at any more.
 */
export class Stands {
  readonly #known = new Map<number, Stand>()

  keep(stand: Stand): void {
    if (this.#known.size >= MOST_KEPT && !this.#known.has(stand.num)) this.#known.clear()
    this.#known.set(stand.num, stand)
  }

  /** Undefined where it was not this node that made the revision, or too long ago. */
  at(num: number, revision: number): Stand | undefined {
    const stand = this.#known.get(num)
    return stand !== undefined && stand.revision + 1 === revision ? stand : undefined
  }
}
