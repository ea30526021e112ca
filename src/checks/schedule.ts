/** Spreads whole numbers evenly over [0, 1): neighbours end up far apart (the golden ratio's fractional part). */
const GOLDEN = 0.618033988749895

/**
 * When a monitor is due after a look that ended at `now`: on a grid of its own interval, shifted by its number, so that
 * many monitors made at once do not fire together. The next point is at least half an interval away and at most one and
 * a half; points that were missed are not made up for.
 */
export function nextCheckAt(num: number, intervalMs: number, now: number): number {
  const phase = Math.floor(((num * GOLDEN) % 1) * intervalMs)
  const earliest = now + intervalMs / 2
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase
}
