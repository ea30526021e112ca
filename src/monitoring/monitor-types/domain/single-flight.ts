import { untilAborted } from '../../../outbound/deadline.ts'

interface Steps<T> {
  readonly cached: () => T | undefined
  readonly work: () => Promise<T>
}

/** Runs one lookup per key at a time: the first caller does the work, the others wait and then use its cached result. */
export function createSingleFlight(): <T>(key: string, signal: AbortSignal, steps: Steps<T>) => Promise<T> {
  const running = new Map<string, Promise<void>>()
  return async (key, signal, { cached, work }) => {
    for (;;) {
      const known = cached()
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
  }
}
