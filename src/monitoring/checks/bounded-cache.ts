/** How many new entries a full cache refuses for each one that it admits. */
const REFUSED = 7

/**
 * A cache by monitor number for entries that are used in turn, once per interval. If they do not all fit, dropping the
 * oldest would drop each one just before it is needed. So a full cache keeps what it has and refuses most new entries;
 * the few that it admits replace entries that have not been set for longest, such as those of deleted monitors.
 */
export class BoundedCache<T> {
  readonly #capacity: number
  readonly #entries = new Map<number, T>()
  #refused = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(num: number): T | undefined {
    return this.#entries.get(num)
  }

  set(num: number, entry: T): void {
    // Deleted first, so that the order is that of the last change.
    if (!this.#entries.delete(num) && this.#entries.size >= this.#capacity && !this.#makesRoom()) return
    this.#entries.set(num, entry)
  }

  #makesRoom(): boolean {
    this.#refused += 1
    if (this.#refused <= REFUSED) return false
    this.#refused = 0
    const [oldest] = this.#entries.keys()
    return oldest !== undefined && this.#entries.delete(oldest)
  }
}
