import { MINUTE_MS } from '../../lib/clock.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'

/**
 * Requests per minute for a name that exists. A heartbeat token: a job that runs every 30 s, the shortest period, sends 6 signals with
 * start, log and end; 20 runs that overlap send 40. Every second signal can open an incident. A domain: a proxy asks about it once per
 * certificate.
 */
const KNOWN_PER_MINUTE = 60
/** Requests per minute and client address for names that do not exist. As many as an address may send to the API without a key. */
const UNKNOWN_PER_MINUTE = 120

/**
 * Limits look-ups by a name that anybody can make up, such as a heartbeat token. Counts in memory, on each node by itself: a limit for
 * every node keeps the number of incidents small enough.
 */
export class LookupLimits {
  /** Only names that exist. Windows stay after they have ended, so that the names remain known. */
  readonly #known = new FixedWindowLimiter(MINUTE_MS)
  readonly #unknown = new FixedWindowLimiter(MINUTE_MS)

  /**
   * How long the client must wait before this name is looked up; 0 if it need not. A known name is not refused because somebody
   * else sends unknown ones from the same address, such as that of a proxy.
   */
  waitMs(name: string, address: string, now: number): number {
    if (this.#known.has(name)) return this.#known.count(name, KNOWN_PER_MINUTE, now)
    return this.#unknown.waitMs(address, UNKNOWN_PER_MINUTE, now)
  }

  /** Records whether a name that was looked up exists. */
  found(isKnown: boolean, name: string, address: string, now: number): void {
    if (!isKnown) {
      // The name was replaced or deleted.
      this.#known.forget(name)
      this.#unknown.use(address, now)
    } else if (!this.#known.has(name)) this.#known.use(name, now)
  }
}
