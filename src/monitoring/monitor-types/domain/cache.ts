import type { Clock } from '../../../lib/clock.ts'

/** A cache of limited size: the least recently used entry is evicted. */
export interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T, lifetimeMs: number): void
}

export function createCache<T>(limit: number, clock: Clock): Cache<T> {
  const entries = new Map<string, { readonly value: T; readonly expiresAt: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      if (clock.now() >= entry.expiresAt) return undefined
      // A Map keeps insertion order, so re-inserting makes it the most recently used.
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, lifetimeMs) {
      entries.delete(key)
      entries.set(key, { value, expiresAt: clock.now() + lifetimeMs })
      const [oldest] = entries.keys()
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest)
    },
  }
}
