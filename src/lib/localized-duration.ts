import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts'

const symbols = { days: 'd', hours: 'h', minutes: 'min', seconds: 's' } as const

/** English: 1 h 19 min, as in the dashboard. Other languages: the short form of Intl. At least one second. */
export function durationFormat(locale: string): (ms: number) => string {
  if (locale === 'en') {
    return (ms) =>
      (Object.entries(parts(rounded(ms))) as [keyof typeof symbols, number][])
        .filter(([, count]) => count > 0)
        .map(([unit, count]) => `${count} ${symbols[unit]}`)
        .join(' ')
  }
  const format = new Intl.DurationFormat(locale, { style: 'short' })
  return (ms) => format.format(parts(rounded(ms)))
}

/** Rounds down to the precision that is shown, at least one second. */
export function rounded(ms: number): number {
  const unit = ms < MINUTE_MS ? SECOND_MS : ms < DAY_MS ? MINUTE_MS : HOUR_MS
  return Math.max(SECOND_MS, Math.floor(ms / unit) * unit)
}

/** A duration in its two largest units. */
function parts(ms: number): Partial<Record<'days' | 'hours' | 'minutes' | 'seconds', number>> {
  if (ms < MINUTE_MS) return { seconds: Math.floor(ms / SECOND_MS) }
  if (ms < HOUR_MS) return { minutes: Math.floor(ms / MINUTE_MS) }
  if (ms < DAY_MS) return { hours: Math.floor(ms / HOUR_MS), minutes: Math.floor((ms % HOUR_MS) / MINUTE_MS) }
  return { days: Math.floor(ms / DAY_MS), hours: Math.floor((ms % DAY_MS) / HOUR_MS) }
}
