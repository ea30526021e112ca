import type { Clock } from '../../lib/clock.ts'
import { type ClockOffset, type ClockSample, nextOffset } from '../../lib/clock-offset.ts'
import type { Log } from '../../lib/log.ts'

/** The time of the database in milliseconds, as an SQL expression. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::float8'

/** A smaller step backwards is hidden: the time stands still until it is reached again. */
const STEP_MS = 1_000
const FIRST_SAMPLES = 3

/**
 * The clock of the database, read through its difference to this process's monotonic clock. The clock of the machine is not
 * used, so it may be wrong or be set. The difference is measured at the start and with every renewal of the node.
 */
export class DatabaseClock implements Clock {
  readonly #log: Log
  #offset: ClockOffset | undefined
  #last = Number.NEGATIVE_INFINITY

  constructor(log: Log) {
    this.#log = log
  }

  now(): number {
    if (this.#offset === undefined) throw new Error('The clock of the database was not read yet')
    const now = Math.floor(performance.now() + this.#offset.offsetMs)
    if (now > this.#last || this.#last - now > STEP_MS) this.#last = now
    return this.#last
  }

  /** Reads the clock a few times: the quickest answer is the most exact. */
  async measure(read: () => Promise<number>): Promise<void> {
    for (let i = 0; i < FIRST_SAMPLES; i += 1) {
      const sentAt = performance.now()
      const remoteMs = await read()
      this.add({ remoteMs, sentAt, receivedAt: performance.now() })
    }
  }

  add(sample: ClockSample): void {
    const { offset, stepMs } = nextOffset(this.#offset, sample)
    this.#offset = offset
    if (Math.abs(stepMs) < STEP_MS) return
    const seconds = Math.round(Math.abs(stepMs) / 100) / 10
    const direction = stepMs > 0 ? 'forward' : 'back'
    this.#log.warn(`the clock of the database went ${direction} by ${seconds} s, or this machine was suspended`)
  }
}
