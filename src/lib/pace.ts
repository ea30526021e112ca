import { setTimeout } from 'node:timers/promises'

/** Steps become larger below the first and smaller above the second duration. */
const SHORT_MS = 1.5
const LONG_MS = 4
/** A step has costs that do not depend on its size: below this part of the largest size, smaller steps would only be more. */
const SMALLEST_PART = 1 / 8
const LONGEST_REST_MS = 1_000

/** How much the next step does: a step should take a few milliseconds, whatever the machine and the load. */
export function sizeAfter(size: number, tookMs: number, largest: number): number {
  if (tookMs > LONG_MS) return Math.min(size, Math.ceil(Math.max(largest * SMALLEST_PART, size / 2)))
  return tookMs < SHORT_MS ? Math.min(largest, size * 2) : size
}

/** A multiple of the step's duration, so it is longer when the machine or the disk is slow. */
export function restAfter(tookMs: number, times: number): number {
  return Math.min(LONGEST_REST_MS, Math.max(1, Math.ceil(tookMs * times)))
}

export interface Steps {
  /** The size of the first step. */
  readonly first: number
  /** The largest size. */
  readonly most: number
  /** How many times as long as a step the rest after it is. */
  readonly rests: number
}

/** Divides long work into short steps with rests, so that it does not delay other work. */
export class Pace {
  readonly #steps: Steps
  readonly #signal: AbortSignal | undefined
  #size: number

  constructor(steps: Steps, signal?: AbortSignal) {
    this.#size = steps.first
    this.#steps = steps
    this.#signal = signal
  }

  get isStopped(): boolean {
    return this.#signal?.aborted === true
  }

  /** Runs a step of a suitable size, then rests. */
  async step<T>(run: (size: number) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const result = await run(this.#size)
    const tookMs = performance.now() - startedAt
    this.#size = sizeAfter(this.#size, tookMs, this.#steps.most)
    // A rest that is aborted has ended.
    await setTimeout(restAfter(tookMs, this.#steps.rests), undefined, { signal: this.#signal }).catch(() => undefined)
    return result
  }
}
