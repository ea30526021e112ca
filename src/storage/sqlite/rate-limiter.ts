import type { Clock } from '../../lib/clock.ts'
import { findApiKey } from '../api-keys.ts'
import type { RateLimit, RateLimiter } from '../database.ts'
import type { SqliteConnection } from './connection.ts'

interface Window {
  startedAt: number
  used: number
}

/** Bounds memory against clients with many addresses. The oldest window is dropped first. */
const MAX_WINDOWS = 100_000

/** Counts in memory, because one process serves the file. The API key is looked up for every request. */
export function createSqliteRateLimiter(connection: SqliteConnection, limit: RateLimit, clock: Clock): RateLimiter {
  const windows = new Map<string, Window>()

  function count(subject: string, now: number): Window {
    let window = windows.get(subject)
    if (window === undefined || now >= window.startedAt + limit.windowMs || now < window.startedAt) {
      // Moves the subject to the end: the map stays ordered by start.
      windows.delete(subject)
      window = { startedAt: now, used: 0 }
      windows.set(subject, window)
      if (windows.size > MAX_WINDOWS) windows.delete(windows.keys().next().value as string)
    }
    window.used += 1
    return window
  }

  return {
    async countRequest(keyHash, address) {
      const now = clock.now()
      const caller = keyHash === undefined ? undefined : connection.run(findApiKey(keyHash, now))
      const window = count(caller?.keyId ?? address, now)
      return { caller, used: window.used, resetsInMs: window.startedAt + limit.windowMs - now }
    },
    async prune() {
      const now = clock.now()
      let pruned = 0
      for (const [subject, window] of windows) {
        if (now < window.startedAt + limit.windowMs) break
        windows.delete(subject)
        pruned += 1
      }
      return pruned
    },
  }
}
