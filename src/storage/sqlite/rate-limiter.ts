import type { Clock } from '../../lib/clock.ts'
import { findApiKey } from '../api-keys.ts'
import type { CountedRequest, RateLimit, RateLimiter } from '../database.ts'
import type { SqliteConnection } from './connection.ts'

interface Window {
  startedAt: number
  used: number
}

/** An attacker with many addresses cannot make this grow further; the oldest window goes first. */
const MOST_WINDOWS = 100_000

/** One process serves the file, so it counts in memory. The key is read anew each time: a revoked one ends at once. */
export function createSqliteRateLimiter(connection: SqliteConnection, rule: RateLimit, clock: Clock): RateLimiter {
  const windows = new Map<string, Window>()

  function spend(subject: string, now: number): Window {
    let window = windows.get(subject)
    if (window === undefined || now >= window.startedAt + rule.windowMs || now < window.startedAt) {
      // Put back at the end, so that the map stays in the order of the windows' starts.
      windows.delete(subject)
      window = { startedAt: now, used: 0 }
      windows.set(subject, window)
      if (windows.size > MOST_WINDOWS) windows.delete(windows.keys().next().value as string)
    }
    window.used += 1
    return window
  }

  return {
    countRequest(keyHash, address): CountedRequest {
      const now = clock.now()
      const caller = keyHash === undefined ? undefined : connection.drive(findApiKey(keyHash, now))
      const window = spend(caller?.keyId ?? address, now)
      return { caller, used: window.used, resetsInMs: window.startedAt + rule.windowMs - now }
    },
    async prune() {
      const now = clock.now()
      let pruned = 0
      for (const [subject, window] of windows) {
        if (now < window.startedAt + rule.windowMs) break
        windows.delete(subject)
        pruned += 1
      }
      return pruned
    },
  }
}
