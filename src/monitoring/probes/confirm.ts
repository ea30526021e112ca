import type { Stop } from '../../outbound/stop.ts'
import type { Sample, Target } from './probe.ts'

/** No repeat takes longer than this, however patient the monitor is. */
const LONGEST_REPEAT_MS = 10_000

/** After a failed try: how long to wait and how long the repeat may take; undefined when all tries are used up. */
export function nextTry(
  failures: number,
  kind: 'connection' | 'content',
  delaysSeconds: readonly number[],
  timeoutMs: number,
): { delayMs: number; timeoutMs: number } | undefined {
  // Wrong content is looked at once more, a lost connection as often as there are delays.
  const repeats = kind === 'content' ? Math.min(1, delaysSeconds.length) : delaysSeconds.length
  if (failures > repeats) return undefined
  return { delayMs: (delaysSeconds[failures - 1] as number) * 1000, timeoutMs: Math.min(timeoutMs, LONGEST_REPEAT_MS) }
}

export interface Confirming {
  readonly look: (target: Target, signal: Stop) => Promise<Sample>
  readonly delaysSeconds: readonly number[]
  /** Waits; resolves early when the signal aborts. */
  readonly pause: (ms: number, signal: Stop) => Promise<void>
}

/** Looks at a target; a failed try is repeated on a fresh connection, and only the last word counts. */
export async function confirmed(by: Confirming, target: Target, signal: Stop): Promise<Sample> {
  let sample = await by.look(target, signal)
  for (let failures = 1; sample.outcome === 'failure'; failures += 1) {
    const next = nextTry(failures, sample.kind, by.delaysSeconds, target.timeoutMs)
    if (next === undefined) break
    await by.pause(next.delayMs, signal)
    sample = await by.look({ ...target, timeoutMs: next.timeoutMs }, signal)
  }
  return sample
}
