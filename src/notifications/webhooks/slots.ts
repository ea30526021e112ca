/** The first request to an endpoint, one more beside it, or one to an endpoint that has not answered lately. */
export type Kind = 'first' | 'extra' | 'suspect'

/** Somebody who waits for a place. */
export interface Waiter {
  /** There may be a place now; it asks again, behind all others that wait. */
  retry(): void
}

const kinds = ['first', 'extra', 'suspect'] as const

/**
 * The requests that one node has under way, over all endpoints. Busy endpoints may take half of the places beyond their
 * first, and those that do not answer a quarter: so there is a place for an endpoint that has nothing under way yet,
 * whatever the others do.
 */
export class Slots {
  readonly #total: number
  readonly #most: Readonly<Record<Kind, number>>
  readonly #taken: Record<Kind, number> = { first: 0, extra: 0, suspect: 0 }
  readonly #waiting: Readonly<Record<Kind, Set<Waiter>>> = { first: new Set(), extra: new Set(), suspect: new Set() }

  constructor(total: number) {
    this.#total = total
    this.#most = { first: total, extra: Math.ceil(total / 2), suspect: Math.ceil(total / 4) }
  }

  get taken(): number {
    return this.#taken.first + this.#taken.extra + this.#taken.suspect
  }

  take(kind: Kind, waiter: Waiter): boolean {
    if (this.#room(kind) === 0) {
      this.#waiting[kind].add(waiter)
      return false
    }
    this.#taken[kind] += 1
    return true
  }

  give(kind: Kind): void {
    this.#taken[kind] -= 1
    for (const each of kinds) {
      const line = this.#waiting[each]
      for (const waiter of [...line.values().take(this.#room(each))]) {
        line.delete(waiter)
        waiter.retry()
      }
    }
  }

  #room(kind: Kind): number {
    return Math.max(0, Math.min(this.#total - this.taken, this.#most[kind] - this.#taken[kind]))
  }
}
