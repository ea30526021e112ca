/** Waiting items that are taken in turns by key, such as an organization: a key with many items delays only itself. */
export class RoundRobin<T> {
  /** The first key is next. */
  readonly #byKey = new Map<string, Set<T>>()
  size = 0

  add(key: string, item: T): void {
    this.#byKey.getOrInsertComputed(key, () => new Set()).add(item)
    this.size += 1
  }

  delete(key: string, item: T): void {
    const items = this.#byKey.get(key)
    if (items?.delete(item) !== true) return
    this.size -= 1
    if (items.size === 0) this.#byKey.delete(key)
  }

  /** Takes the next item, of a key that `isPreferred` if one waits. */
  take(isPreferred: (key: string) => boolean = () => true): T | undefined {
    const key = this.#byKey.keys().find(isPreferred) ?? this.#byKey.keys().next().value
    if (key === undefined) return undefined
    const items = this.#byKey.get(key) as Set<T>
    const [item] = items
    this.#byKey.delete(key)
    items.delete(item as T)
    if (items.size > 0) this.#byKey.set(key, items)
    this.size -= 1
    return item
  }

  takeAll(): T[] {
    const items = [...this.#byKey.values()].flatMap((some) => [...some])
    this.#byKey.clear()
    this.size = 0
    return items
  }
}
