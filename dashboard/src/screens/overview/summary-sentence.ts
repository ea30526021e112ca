import type { AppSchemas } from '../../api/client.ts'
import { duration, plural } from '../../lib/format.ts'

/** "2 of 48 down. Longest: Checkout, 14 min." */
export function summarySentence({ counts, longestDown }: AppSchemas['Overview'], now: number): string {
  const { down, degraded, pending, paused, total } = counts
  const watched = total - paused
  if (watched === 0) return paused === 1 ? 'The one monitor is paused.' : `All ${plural(paused, 'monitor')} are paused.`
  if (down > 0) {
    const longest =
      longestDown === null
        ? ''
        : ` Longest: ${longestDown.name}, ${duration((now - new Date(longestDown.since).getTime()) / 1000)}.`
    return `${down.toLocaleString()} of ${watched.toLocaleString()} down.${longest}`
  }
  if (degraded > 0) return `Nothing is down; ${degraded} of ${watched.toLocaleString()} degraded.`
  if (pending === watched) return watched === 1 ? 'The first check is under way.' : 'The first checks are under way.'
  if (watched === 1) return 'The one monitor is up.'
  return pending === 0
    ? `All ${watched.toLocaleString()} monitors are up.`
    : `All is up so far; ${plural(pending, 'monitor')} not checked yet.`
}
