/** Something with a due time. `position` belongs to the heap; -1 while it is not in one. */
export interface Due {
  dueAt: number | null
  position: number
}

/** A binary heap by due time. Items store their position, so one can be removed without a search. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = []

  /** The item that is due first. */
  peek(): T | undefined {
    return this.#items[0]
  }

  /** Adds an item, or moves it after its due time changed. One that is never due is removed. */
  put(item: T): void {
    if (item.dueAt === null) {
      this.remove(item)
      return
    }
    if (item.position === -1) {
      item.position = this.#items.length
      this.#items.push(item)
    }
    this.#rise(item)
    this.#sink(item)
  }

  remove(item: T): void {
    const { position } = item
    if (position === -1) return
    const last = this.#items.pop() as T
    item.position = -1
    if (last === item) return
    this.#place(last, position)
    this.#rise(last)
    this.#sink(last)
  }

  /** How many items were due at a time or before, from a position downwards. Looks at those and their children. */
  countDue(at: number, position = 0): number {
    const item = this.#items[position]
    if (item === undefined || dueOf(item) > at) return 0
    return 1 + this.countDue(at, 2 * position + 1) + this.countDue(at, 2 * position + 2)
  }

  #rise(item: T): void {
    while (item.position > 0) {
      const parent = this.#items[(item.position - 1) >> 1] as T
      if (dueOf(parent) <= dueOf(item)) return
      this.#swap(item, parent)
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.position + 1]
      const right = this.#items[2 * item.position + 2]
      const child = right !== undefined && dueOf(right) < dueOf(left as T) ? right : left
      if (child === undefined || dueOf(item) <= dueOf(child)) return
      this.#swap(item, child)
    }
  }

  #swap(a: T, b: T): void {
    const { position } = a
    this.#place(a, b.position)
    this.#place(b, position)
  }

  #place(item: T, position: number): void {
    this.#items[position] = item
    item.position = position
  }
}

function dueOf({ dueAt }: Due): number {
  return dueAt as number
}
