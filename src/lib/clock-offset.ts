/** One reading of a remote clock. The local times are monotonic (`performance.now()`). */
export interface ClockSample {
  readonly remoteMs: number
  readonly sentAt: number
  readonly receivedAt: number
}

/** What is known of the difference between a remote clock and the local monotonic one. */
export interface ClockOffset {
  readonly offsetMs: number
  /** The difference was between these when it was measured last. */
  readonly lowMs: number
  readonly highMs: number
  readonly measuredAt: number
}

export interface OffsetChange {
  readonly offset: ClockOffset
  /** By how much the remote clock was set since the last reading; 0 if the readings agree. */
  readonly stepMs: number
}

/** How far two clocks may drift apart: a clock that is being corrected runs up to 0.05 % fast or slow. */
const MAX_DRIFT = 0.001

/**
 * The remote clock was read at some moment between request and answer, so every sample gives a range for the difference,
 * and the difference lies in all of them. A slow answer gives a wide range, which changes nothing. The offset is moved only
 * as far as the ranges require. If they contradict each other, one of the clocks was set, the machine slept, or another
 * server answered: then the new sample counts.
 */
export function nextOffset(
  known: ClockOffset | undefined,
  { remoteMs, sentAt, receivedAt }: ClockSample,
): OffsetChange {
  const [low, high] = [remoteMs - receivedAt, remoteMs - sentAt]
  if (known === undefined) {
    return { offset: { offsetMs: (low + high) / 2, lowMs: low, highMs: high, measuredAt: receivedAt }, stepMs: 0 }
  }
  const driftMs = Math.max(0, receivedAt - known.measuredAt) * MAX_DRIFT
  const lowMs = Math.max(low, known.lowMs - driftMs)
  const highMs = Math.min(high, known.highMs + driftMs)
  if (lowMs <= highMs) {
    return {
      offset: { offsetMs: clamp(known.offsetMs, lowMs, highMs), lowMs, highMs, measuredAt: receivedAt },
      stepMs: 0,
    }
  }
  const offsetMs = clamp(known.offsetMs, low, high)
  return {
    offset: { offsetMs, lowMs: low, highMs: high, measuredAt: receivedAt },
    stepMs: offsetMs - known.offsetMs,
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
