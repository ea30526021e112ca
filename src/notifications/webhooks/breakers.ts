import { type Breaker, breakerAfter, closed, isOpen, type Reachability } from './breaker.ts'

/** Bounds the memory; the endpoint that has been failing longest is dropped first. */
const MAX_ENDPOINTS = 10_000

/** The breakers of the endpoints that have not answered their last request. */
export class Breakers {
  readonly #failing = new Map<string, Breaker>()

  of(endpointId: string): { readonly isOpen: boolean; readonly pausedUntil: number } {
    const breaker = this.#failing.get(endpointId) ?? closed
    return { isOpen: isOpen(breaker), pausedUntil: breaker.pausedUntil }
  }

  note(endpointId: string, reachability: Reachability, now: number): void {
    if (reachability === 'answered') {
      this.#failing.delete(endpointId)
      return
    }
    this.#failing.set(endpointId, breakerAfter(this.#failing.get(endpointId) ?? closed, reachability, now))
    const [oldest] = this.#failing.keys()
    if (this.#failing.size > MAX_ENDPOINTS && oldest !== undefined) this.#failing.delete(oldest)
  }
}
