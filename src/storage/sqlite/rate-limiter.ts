import type { Clock } from '../../lib/clock.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'
import { findApiKey } from '../api-keys.ts'
import type { RateLimit, RateLimiter } from '../database.ts'
import type { DbWork } from '../query.ts'

/** Bounds memory against clients with many addresses. */
const MAX_WINDOWS = 100_000

/** Counts in memory, because one process serves the file. The API key is looked up for every request. */
export function createSqliteRateLimiter(read: <T>(work: DbWork<T>) => T, limit: RateLimit, clock: Clock): RateLimiter {
  const windows = new FixedWindowLimiter(limit.windowMs, MAX_WINDOWS)
  return {
    async countRequest(keyHash, address) {
      const now = clock.now()
      const caller = keyHash === undefined ? undefined : read(findApiKey(keyHash, now))
      const { used, resetsInMs } = windows.use(caller?.keyId ?? address, now)
      const isWithin = caller !== undefined && used <= limit.quota
      return { caller, used, resetsInMs, organization: isWithin ? windows.use(caller.orgId, now) : undefined }
    },
    prune: async () => windows.prune(clock.now()),
  }
}
