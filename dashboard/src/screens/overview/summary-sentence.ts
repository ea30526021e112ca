import type { PublicSchemas } from '../../api/client.ts'
import { duration, number } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'

/** "2 of 48 down. Longest: Checkout, 14 min." */
export function summarySentence({ counts, longestDown }: PublicSchemas['Overview'], now: number): string {
  const { down, degraded, pending, paused, total } = counts
  const watched = total - paused
  if (watched === 0)
    return paused === 1
      ? t('Your monitor is paused.')
      : t('All {paused} are paused.', { paused: plural(paused, 'monitor') })
  if (down === 1 && longestDown !== null) {
    return t('{name} is down ({duration}).', {
      name: longestDown.name,
      duration: duration((now - new Date(longestDown.since).getTime()) / 1000),
    })
  }
  if (down > 0) {
    const longest =
      longestDown === null
        ? ''
        : t(' Longest: {name}, {duration}.', {
            name: longestDown.name,
            duration: duration((now - new Date(longestDown.since).getTime()) / 1000),
          })
    return t('{down} of {watched} down.{longest}', {
      down: number(down),
      watched: number(watched),
      longest,
    })
  }
  if (degraded > 0)
    return t('{degraded} of {watched} degraded, none down.', {
      degraded: number(degraded),
      watched: number(watched),
    })
  if (pending === watched) return watched === 1 ? t('First check in progress.') : t('First checks in progress.')
  if (watched === 1) return t('Your monitor is up.')
  return pending === 0
    ? t('All {watched} monitors are up.', { watched: number(watched) })
    : t('All up so far, {pending} not checked yet.', { pending: plural(pending, 'monitor') })
}
