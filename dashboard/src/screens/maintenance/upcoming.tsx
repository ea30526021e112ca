import { localZone } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { timeRangeIn } from '../../lib/time-zones.ts'
import { describeRecurrence } from './describe-recurrence.ts'
import { type Draft, timingIn } from './draft.ts'
import { nextOccurrences, type Timing } from './occurrences.ts'

/** Description of the form's schedule and its next three occurrences. */
export function UpcomingPreview({ draft }: { draft: Draft }) {
  const timing = timingIn(draft)
  return (
    <section aria-label={t('Summary')} class="card p-4 lg:sticky lg:top-6">
      <h2 class="mb-2 text-base font-semibold">{t('Summary')}</h2>
      {timing === undefined ? (
        <p class="text-muted">{t('Enter start, end and time zone.')}</p>
      ) : timing.endsAt <= timing.startsAt ? (
        <p class="text-down-text">{t('End must be after start.')}</p>
      ) : (
        <TimingText timing={timing} />
      )}
      <p class="mt-3 border-t border-line pt-3 text-xs text-muted">
        {t(
          'During maintenance, checks continue, but no incidents or alerts are created, and the time doesn’t count towards uptime.',
        )}
      </p>
    </section>
  )
}

function TimingText({ timing }: { timing: Timing }) {
  const now = Date.now()
  const next = nextOccurrences(timing, now, 3)
  const isNow = timing.startsAt <= now && timing.endsAt > now
  return (
    <>
      <p aria-live="polite">{describeRecurrence(timing)}</p>
      {isNow && <p class="mt-2 font-medium text-maintenance-text">{t('Starts as soon as you save.')}</p>}
      {timing.recurrence !== 'NONE' && <UpcomingTimes timing={timing} />}
      {next.length === 0 && !isNow && <p class="mt-2 text-degraded-text">{t('This is entirely in the past.')}</p>}
    </>
  )
}

/** The next three occurrences in the reader's zone; the text above has the rule in the window's zone. */
export function UpcomingTimes({ timing }: { timing: Timing }) {
  const next = nextOccurrences(timing, Date.now(), 3)
  const here = localZone
  return (
    <>
      <h3 class="mt-3 mb-1 text-xs text-muted">{tx('Next occurrences, {timezone}', { timezone: here })}</h3>
      <ol class="space-y-1">
        {next.map(({ startsAt, endsAt }) => (
          <li key={startsAt}>{timeRangeIn(startsAt, endsAt, here)}</li>
        ))}
      </ol>
    </>
  )
}
