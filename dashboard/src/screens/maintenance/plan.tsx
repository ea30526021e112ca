import { hereZone } from '../../lib/format.ts'
import { spanIn } from '../../lib/zones.ts'
import { type Draft, timingIn } from './draft.ts'
import { nextFew, type Timing } from './occurrences.ts'
import { inWords } from './words.ts'

/** What the form amounts to: in words, and the next three times. */
export function Plan({ draft }: { draft: Draft }) {
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
  const next = nextFew(timing, now, 3)
  const isNow = timing.startsAt <= now && timing.endsAt > now
  return (
    <>
      <p aria-live="polite">{inWords(timing)}</p>
      {isNow && <p class="mt-2 font-medium text-maintenance-text">It is under way as soon as it is saved.</p>}
      {timing.recurrence !== 'NONE' && <NextTimes timing={timing} />}
      {next.length === 0 && !isNow && <p class="mt-2 text-degraded-text">It is over already.</p>}
    </>
  )
}

/** The next three times, on the clock of the window and, where that is another, of whoever looks. */
export function NextTimes({ timing }: { timing: Timing }) {
  const next = nextFew(timing, Date.now(), 3)
  const here = hereZone()
  return (
    <>
      <h3 class="mt-3 mb-1 text-xs text-muted">Next times, {timing.timezone}</h3>
      <ol class="space-y-1">
        {next.map(({ startsAt, endsAt }) => (
          <li key={startsAt}>
            {spanIn(startsAt, endsAt, timing.timezone)}
            {timing.timezone !== here && (
              <span class="block text-xs text-muted">
                {spanIn(startsAt, endsAt, here)}, {here}
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}
