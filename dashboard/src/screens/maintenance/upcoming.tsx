import { localZone } from '../../lib/format.ts'
import { timeRangeIn } from '../../lib/time-zones.ts'
import { describeRecurrence } from './describe-recurrence.ts'
import { type Draft, timingIn } from './draft.ts'
import { nextOccurrences, type Timing } from './occurrences.ts'

/** Description of the form's schedule and its next three occurrences. */
export function UpcomingPreview({ draft }: { draft: Draft }) {
  const timing = timingIn(draft)
  return (
    <section aria-label="In words" class="card p-4 lg:sticky lg:top-6">
      <h2 class="mb-2 text-base font-semibold">In words</h2>
      {timing === undefined ? (
        <p class="text-muted">Say when it begins and ends, and in which zone.</p>
      ) : timing.endsAt <= timing.startsAt ? (
        <p class="text-down-text">It would end before it begins.</p>
      ) : (
        <Words timing={timing} />
      )}
      <p class="mt-3 border-t border-line pt-3 text-xs text-muted">
        Inside a window checks go on and states stay truthful, but no incident opens, nobody is alerted, and the time is
        left out of uptime.
      </p>
    </section>
  )
}

function Words({ timing }: { timing: Timing }) {
  const now = Date.now()
  const next = nextOccurrences(timing, now, 3)
  const isNow = timing.startsAt <= now && timing.endsAt > now
  return (
    <>
      <p aria-live="polite">{describeRecurrence(timing)}</p>
      {isNow && <p class="mt-2 font-medium text-maintenance-text">It is under way as soon as it is saved.</p>}
      {timing.recurrence !== 'NONE' && <UpcomingTimes timing={timing} />}
      {next.length === 0 && !isNow && <p class="mt-2 text-degraded-text">It is over already.</p>}
    </>
  )
}

/** The next three occurrences, in the window's zone and the reader's zone if they differ. */
export function UpcomingTimes({ timing }: { timing: Timing }) {
  const next = nextOccurrences(timing, Date.now(), 3)
  const here = localZone()
  return (
    <>
      <h3 class="mt-3 mb-1 text-xs text-muted">Next times, {timing.timezone}</h3>
      <ol class="space-y-1">
        {next.map(({ startsAt, endsAt }) => (
          <li key={startsAt}>
            {timeRangeIn(startsAt, endsAt, timing.timezone)}
            {timing.timezone !== here && (
              <span class="block text-xs text-muted">
                {timeRangeIn(startsAt, endsAt, here)}, {here}
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}
