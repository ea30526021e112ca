import { ChevronLeft, ChevronRight } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { localZone, weekdayLabel } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { timeAtWallClock, timeRangeIn, wallClockOf } from '../../lib/time-zones.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import type { Window } from './draft.ts'
import { type Occurrence, occurrencesWithin, timingOf } from './occurrences.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const MOST_BARS = 60

interface Props {
  readonly windows: readonly Window[]
  /** Offset in weeks. */
  readonly week: number
  readonly onWeek: (week: number) => void
}

/** Seven days with one lane per window, in the reader's time zone. */
export function WeekStrip({ windows, week, onWeek }: Props) {
  const zone = localZone
  const now = useNow(60_000)
  const first = Math.floor(wallClockOf(now, zone) / DAY_MS) * DAY_MS + week * WEEK_MS
  const [from, to] = [timeAtWallClock(first, zone), timeAtWallClock(first + WEEK_MS, zone)]
  const across = (at: number) => Math.min(100, Math.max(0, ((wallClockOf(at, zone) - first) / WEEK_MS) * 100))
  const lanes = windows
    .map((window) => ({ window, bars: occurrencesWithin(timingOf(window), from, to, MOST_BARS) }))
    .filter(({ bars }) => bars.length > 0)
    .sort((a, b) => (a.bars[0] as Occurrence).startsAt - (b.bars[0] as Occurrence).startsAt)

  const days = Array.from({ length: 7 }, (_, i) => first + i * DAY_MS)
  return (
    <section aria-label={t('Week')} class="card mb-6 p-4">
      <div class="mb-3 flex flex-wrap items-center gap-2">
        <h2 class="grow basis-48 font-semibold">
          {week === 0 ? t('Next 7 days') : t('7 days from {first}', { first: weekdayLabel(first, true) })}{' '}
          <span class="font-normal text-muted">({zone})</span>
        </h2>
        <div class="flex">
          <Button
            look="quiet"
            aria-label={t('Previous week')}
            onClick={() => onWeek(week - 1)}
            icon={<ChevronLeft />}
          />
          <Button look="quiet" disabled={week === 0} onClick={() => onWeek(0)}>
            {t('Today')}
          </Button>
          <Button look="quiet" aria-label={t('Next week')} onClick={() => onWeek(week + 1)} icon={<ChevronRight />} />
        </div>
      </div>
      <div class="relative">
        <div class="absolute inset-0 grid grid-cols-7" aria-hidden="true">
          {days.map((day) => (
            <span
              key={day}
              class={`border-s border-line ${week === 0 && day === first ? 'rounded-md bg-accent-soft' : ''}`}
            />
          ))}
        </div>
        <div class="relative grid grid-cols-7 pb-1" aria-hidden="true">
          {days.map((day) => (
            <span key={day} class="ps-1.5 text-xs text-muted">
              <span class="block font-medium text-ink sm:inline">{weekdayLabel(day, false)}</span>{' '}
              {new Date(day).getUTCDate()}
            </span>
          ))}
        </div>
        {lanes.length === 0 && <p class="relative py-4 text-center text-muted">{t('Nothing scheduled')}</p>}
        <ul class="relative z-[1]">
          {lanes.map(({ window, bars }) => (
            <Lane key={window.id} window={window} bars={bars} across={across} />
          ))}
        </ul>
        {week === 0 && (
          <span
            class="pointer-events-none absolute inset-y-0 w-0.5 bg-down"
            style={{ insetInlineStart: `${across(now)}%` }}
            title={t('Now')}
            aria-hidden="true"
          />
        )}
      </div>
    </section>
  )
}

interface LaneProps {
  readonly window: Window
  readonly bars: readonly Occurrence[]
  readonly across: (at: number) => number
}

function Lane({ window, bars, across }: LaneProps) {
  const zone = localZone
  const [next] = bars as readonly [Occurrence]
  const start = across(next.startsAt)
  // The name is next to the first bar, on the side with more room.
  const side =
    start > 60
      ? { textAlign: 'end' as const, paddingInlineEnd: `${100 - start}%` }
      : { paddingInlineStart: `${start}%` }
  return (
    <li class="py-1.5">
      {/* Positioned, so that it also cuts off the text for screen readers, which would widen the page. */}
      <p class="relative truncate text-xs" style={side}>
        <span class="rounded bg-surface/80 px-0.5">
          <Link href={`/maintenance/${window.id}`} class="font-medium hover:underline">
            {window.name}
          </Link>
          <span class="sr-only">: {bars.map((bar) => timeRangeIn(bar.startsAt, bar.endsAt, zone)).join('; ')}</span>
          <span class="text-muted"> {window.timezone.replaceAll('_', ' ')}</span>
        </span>
      </p>
      <div class="relative h-4" aria-hidden="true">
        {bars.map((bar) => (
          <span
            key={bar.startsAt}
            class={`absolute inset-y-0 min-w-1.5 rounded-sm ${window.status === 'COMPLETED' ? 'border border-maintenance' : 'bg-maintenance'}`}
            style={{
              insetInlineStart: `${across(bar.startsAt)}%`,
              width: `${across(bar.endsAt) - across(bar.startsAt)}%`,
            }}
            title={`${window.name}: ${timeRangeIn(bar.startsAt, bar.endsAt, zone)} (${zone})`}
          />
        ))}
      </div>
    </li>
  )
}
