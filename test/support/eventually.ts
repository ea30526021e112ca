import { setTimeout } from 'node:timers/promises'

/** Tries until it holds; the last complaint is thrown when it does not in time. */
export async function eventually<T>(holds: () => Promise<T>, timeoutMs = 10_000): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    try {
      return await holds()
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error
      await setTimeout(20)
    }
  }
}
