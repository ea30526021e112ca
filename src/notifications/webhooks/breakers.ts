import { after, type Breaker, type Contact, closed, isSuspect } from './breaker.ts'

/** Endpoints in trouble that are remembered; the one that was in trouble first is forgotten first. */
const MOST_REMEMBERED = 10_000

/** What this node remembers of the receivers that do not answer. */
export class Breakers {
  readonly #open = new Map<string, Breaker>()

  of(endpointId: string): { readonly isSuspect: boolean; readonly restUntil: number } {
    const breaker = this.#open.get(endpointId) ?? closed
    return { isSuspect: isSuspect(breaker), restUntil: breaker.restUntil }
  }

  note(endpointId: string, contact: Contact, now: number): void {
    if (contact === 'answered') {
      this.#open.delete(endpointId)
      return
    }
    this.#open.set(endpointId, after(this.#open.get(endpointId) ?? closed, contact, now))
    const [oldest] = this.#open.keys()
    if (this.#open.size > MOST_REMEMBERED && oldest !== undefined) this.#open.delete(oldest)
  }
}
