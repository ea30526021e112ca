import type { Clock } from '../../../lib/clock.ts'
import { untilAborted } from '../../../outbound/deadline.ts'

/** A memory of limited size: the entry that was not asked for longest makes room. */
export interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T, lifeMs: number): void
}

export function createCache<T>(limit: number, clock: Clock): Cache<T> {
  const entries = new Map<string, { readonly value: T; readonly until: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      if (clock.now() >= entry.until) return undefined
      // A map keeps the order of insertion: put back, it is the youngest.
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, lifeMs) {
      entries.delete(key)
      entries.set(key, { value, until: clock.now() + lifeMs })
      const [oldest] = entries.keys()
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest)
    },
  }
}

/** What several ask for at once is looked up once: one does the work, the others wait and then recall the outcome. */
export interface SingleFlight {
  take<T>(
    key: string,
    signal: AbortSignal,
    steps: { readonly recall: () => T | undefined; readonly work: () => Promise<T> },
  ): Promise<T>
}

export function createSingleFlight(): SingleFlight {
  const running = new Map<string, Promise<void>>()
  return {
    async take(key, signal, { recall, work }) {
      for (;;) {
        const known = recall()
        if (known !== undefined) return known
        const other = running.get(key)
        if (other === undefined) break
        await untilAborted(other, signal)
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      running.set(key, promise)
      try {
        return await work()
      } finally {
        running.delete(key)
        resolve()
      }
    },
  }
}
