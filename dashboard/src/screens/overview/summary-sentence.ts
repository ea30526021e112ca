import type { AppSchemas } from '../../api/client.ts'
import { duration, plural } from '../../lib/format.ts'

/** "2 of 48 down. Longest: Checkout, 14 min." */
export function summarySentence({ counts, longestDown }: AppSchemas['Overview'], now: number): string {
  const { down, degraded, pending, paused, total } = counts
  const watched = total - paused
  if (watched === 0) return paused === 1 ? 'Your monitor is paused.' : `All ${plural(paused, 'monitor')} are paused.`
  if (down > 0) {
    const longest =
      longestDown === null
        ? ''
        : ` Longest: ${longestDown.name}, ${duration((now - new Date(longestDown.since).getTime()) / 1000)}.`
    return `${down.toLocaleString()} of ${watched.toLocaleString()} down.${longest}`
  }
  if (degraded > 0) return `${degraded.toLocaleString()} of ${watched.toLocaleString()} degraded, none down.`
  if (pending === watched) return watched === 1 ? 'First check in progress.' : 'First checks in progress.'
  if (watched === 1) return 'Your monitor is up.'
  return pending === 0
    ? `All ${watched.toLocaleString()} monitors are up.`
    : `All up so far, ${plural(pending, 'monitor')} not checked yet.`
}
