import { MINUTE_MS } from '../../lib/clock.ts'

/** Requests per minute of a session, about ten times what the dashboard makes in heavy use. */
export const PER_SESSION = 1_200
/** Requests per minute of a client without a session. */
export const PER_ADDRESS = 300
const MOST_WINDOWS = 50_000

interface Window {
  endsAt: number
  used: number
}

/**
 * Counts requests in memory, each node for itself: this keeps a page that has run wild from harming others, and no more is
 * asked of it. What guards accounts is counted in the database (sessions/attempts.ts).
 */
export class Meter {
  readonly #windows = new Map<string, Window>()

  /** How long a request has to wait; 0 where it need not. */
  spend(subject: string, most: number, now: number): number {
    let window = this.#windows.get(subject)
    if (window === undefined || window.endsAt <= now) {
      // Put back at the end, so that the map stays in the order of the windows' ends.
      this.#windows.delete(subject)
      window = { endsAt: now + MINUTE_MS, used: 0 }
      this.#windows.set(subject, window)
      if (this.#windows.size > MOST_WINDOWS) this.#windows.delete(this.#windows.keys().next().value as string)
    }
    window.used += 1
    return window.used > most ? Math.max(1, window.endsAt - now) : 0
  }
}
