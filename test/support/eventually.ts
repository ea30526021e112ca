import { setTimeout } from 'node:timers/promises'

/** Longer than anything takes on a busy machine; what is awaited ends the wait. */
const LIMIT_MS = 120_000

/** Calls `attempt` until it succeeds. Its last error is thrown when it does not within the limit. */
export async function eventually<T>(attempt: () => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error
      await setTimeout(50)
    }
  }
}
