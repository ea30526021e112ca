/** The first request to an endpoint, a further parallel one, or one to an endpoint whose breaker is open. */
export type SlotKind = 'first' | 'extra' | 'unreachable'

export interface SlotWaiter {
  /** Called when a slot may be free. The waiter calls `take` again, and queues behind the others if that fails. */
  retry(): void
}

const kinds = ['first', 'extra', 'unreachable'] as const

/**
 * Limits the requests that one node has in flight over all endpoints. Extra requests take at most half of the slots and
 * unreachable endpoints a quarter, so an endpoint with nothing in flight gets a slot however busy the others are.
 */
export class Slots {
  readonly #total: number
  readonly #limits: Readonly<Record<SlotKind, number>>
  readonly #taken: Record<SlotKind, number> = { first: 0, extra: 0, unreachable: 0 }
  readonly #waiting: Readonly<Record<SlotKind, Set<SlotWaiter>>> = {
    first: new Set(),
    extra: new Set(),
    unreachable: new Set(),
  }

  constructor(total: number) {
    this.#total = total
    this.#limits = { first: total, extra: Math.ceil(total / 2), unreachable: Math.ceil(total / 4) }
  }

  get taken(): number {
    return this.#taken.first + this.#taken.extra + this.#taken.unreachable
  }

  /** False if none is free; then the waiter is queued. */
  take(kind: SlotKind, waiter: SlotWaiter): boolean {
    if (this.#free(kind) === 0) {
      this.#waiting[kind].add(waiter)
      return false
    }
    this.#taken[kind] += 1
    return true
  }

  release(kind: SlotKind): void {
    this.#taken[kind] -= 1
    for (const each of kinds) {
      const queue = this.#waiting[each]
      for (const waiter of [...queue.values().take(this.#free(each))]) {
        queue.delete(waiter)
        waiter.retry()
      }
    }
  }

  #free(kind: SlotKind): number {
    return Math.max(0, Math.min(this.#total - this.taken, this.#limits[kind] - this.#taken[kind]))
  }
}
