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
 * After so many unknown names the address may only ask for names that the node knows already. Until then each name is looked up, so
 * that unknown names of others at the same address (a network behind NAT, a proxy) do not stop the first request for a name that exists.
 */
const LOOKUPS_PER_MINUTE = 1_200

interface Lookup {
  readonly isKnown: boolean
  /** How long the client must wait; 0 if it need not. */
  readonly waitMs: number
}

/**
 * Limits look-ups by a name that anybody can make up, such as a heartbeat token. Counts in memory, on each node by itself: a limit for
 * every node keeps the number of incidents small enough.
 */
export class LookupLimits {
  /** Only names that exist. Windows stay after they have ended, so that the names remain known. */
  readonly #known = new FixedWindowLimiter(MINUTE_MS)
  readonly #unknown = new FixedWindowLimiter(MINUTE_MS)

  /** Counts a request for a name. `exists` is a cheap read; it is called only for names that the node does not know. */
  async lookUp(name: string, address: string, now: number, exists: () => Promise<boolean>): Promise<Lookup> {
    if (this.#known.has(name)) return this.#useKnown(name, now)
    // Counted before the read, so that requests at the same time do not exceed the limit.
    const { used, resetsInMs } = this.#unknown.use(address, now)
    if (used > LOOKUPS_PER_MINUTE) return { isKnown: false, waitMs: resetsInMs }
    if (!(await exists())) return { isKnown: false, waitMs: used > UNKNOWN_PER_MINUTE ? resetsInMs : 0 }
    this.#unknown.forgive(address)
    return this.#useKnown(name, now)
  }

  /** A known name was replaced or deleted. */
  forget(name: string): void {
    this.#known.forget(name)
  }

  #useKnown(name: string, now: number): Lookup {
    return { isKnown: true, waitMs: this.#known.count(name, KNOWN_PER_MINUTE, now) }
  }
}
