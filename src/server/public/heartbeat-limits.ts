import { MINUTE_MS } from '../../lib/clock.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'

/**
 * Signals per minute and token. A job that runs every 30 s, the shortest period, sends 6 with start, log and end; 20 runs that overlap
 * send 40. Every second signal can open an incident.
 */
const SIGNALS_PER_MINUTE = 60
/** Signals per minute and client address with tokens that no monitor has. As many as an address may send to the API without a key. */
const UNKNOWN_PER_MINUTE = 120
const MAX_TOKENS = 50_000
const MAX_ADDRESSES = 50_000

/** Counts in memory, on each node by itself: a limit for every node keeps the number of incidents small enough. */
export class HeartbeatLimits {
  /** Only of tokens that a monitor has. Windows stay after they have ended, so that the tokens remain known. */
  readonly #known = new FixedWindowLimiter(MINUTE_MS, MAX_TOKENS)
  readonly #unknown = new FixedWindowLimiter(MINUTE_MS, MAX_ADDRESSES)

  /**
   * How long the client must wait before this signal is looked up; 0 if it need not. A known token is not refused because somebody
   * else sends unknown ones from the same address, such as that of a proxy.
   */
  waitMs(tokenHash: string, address: string, now: number): number {
    if (this.#known.has(tokenHash)) return this.#known.count(tokenHash, SIGNALS_PER_MINUTE, now)
    return this.#unknown.waitMs(address, UNKNOWN_PER_MINUTE, now)
  }

  /** Records whether a monitor has the token of a signal that was looked up. */
  found(isKnown: boolean, tokenHash: string, address: string, now: number): void {
    if (!isKnown) {
      // The token was replaced, or its monitor deleted.
      this.#known.forget(tokenHash)
      this.#unknown.use(address, now)
    } else if (!this.#known.has(tokenHash)) this.#known.use(tokenHash, now)
  }
}
