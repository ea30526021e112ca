import type { Clock } from '../../src/lib/clock.ts'

/** A clock that only `advance` changes. */
export class HandClock implements Clock {
  #now: number

  constructor(now = Date.now()) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  advance(ms: number): void {
    this.#now += ms
  }
}
