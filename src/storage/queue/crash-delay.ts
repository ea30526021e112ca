import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'

/** How the processing of a claimed row crashed: it threw an unexpected error, or its node ended meanwhile. */
export type Crash = 'threw' | 'ended'

/** How long a row waits after its processing threw for the first time. */
export const FAILED_RETRY_MS = 10 * SECOND_MS

const delaysMs: Readonly<Record<Crash, readonly number[]>> = {
  threw: [FAILED_RETRY_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS],
  // Most rows in progress have nothing to do with the end of a node, and are due again at once.
  ended: [0, 10 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS],
}

/**
 * How long a row waits after its processing crashed, for the `crashes`-th time in a row. Spread from the second time on: rows that
 * were in progress together are not again, so the next crash shows which of them causes it.
 */
export function crashDelayMs(crash: Crash, crashes: number, random: number): number {
  const delays = delaysMs[crash]
  const delayMs = delays[Math.min(crashes, delays.length) - 1] as number
  return crashes === 1 ? delayMs : Math.round(delayMs * (0.5 + random))
}
