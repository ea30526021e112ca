import { DAY_MS, SECOND_MS } from '../../../lib/clock.ts'
import { timingOf } from '../../../monitoring/maintenance/settings.ts'
import { occurrencesWithin } from '../../../monitoring/maintenance-coverage/occurrences.ts'
import type { DbWork } from '../../../storage/query.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { windowsOnPage } from '../queries/maintenance-windows.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from '../views/page-view.ts'
import { icalText, line } from './ical-lines.ts'

/** One time that a window takes place. */
interface Event {
  readonly uid: string
  readonly name: string
  readonly description: string
  readonly startsAt: number
  readonly endsAt: number
  readonly updatedAt: number
}

export interface CalendarView {
  readonly page: PageInfo
  readonly t: Translator
  readonly events: readonly Event[]
}

/** What was lately stays in people's calendars. */
const PAST_DAYS = 31
const COMING_DAYS = 366
const MAX_EVENTS = 200

/**
 * A page's maintenance as events. A window that recurs is written out, time by time, and not as a rule: our clock says what
 * becomes of a start that falls into a gap, and calendars answer that in ways of their own.
 */
export function* calendarView(row: StoredPage, baseUrl: string, now: number): DbWork<CalendarView> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const t = translatorFor(page.locale, page.timezone)
  // By whole days, so that the calendar stays the same for a day where nothing changes.
  const [from, to] = [dayOf(now) - PAST_DAYS * DAY_MS, dayOf(now) + COMING_DAYS * DAY_MS]
  const windows = yield* windowsOnPage(pageKey, from, to)
  const names = displayNamesOn(row, yield* monitorsOf(pageKey))
  const { hostname } = new URL(baseUrl)
  const events = windows.flatMap((window): Event[] => {
    const { id, name, description } = window
    const affected = window.isAll ? t.text('affectsAll') : affects(window.monitorIds, names, t)
    const text = [description, affected].filter((part) => part !== null).join('\n\n')
    // Of a window that recurs, what was before it was made was no maintenance.
    const since = window.recurrence === 'NONE' ? from : Math.max(from, window.created_at)
    return occurrencesWithin(timingOf(window), since, to, MAX_EVENTS).map(({ startsAt, endsAt }) => ({
      // One that takes place once may be moved and stays the same; of those that recur each is one of its own.
      uid: `${id}${window.recurrence === 'NONE' ? '' : `-${stamp(startsAt)}`}@${hostname}`,
      ...{ name, description: text, startsAt, endsAt, updatedAt: window.updated_at },
    }))
  })
  const soonest = events.toSorted((a, b) => a.startsAt - b.startsAt || (a.uid < b.uid ? -1 : 1))
  return { page, t, events: soonest.slice(0, MAX_EVENTS) }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

function affects(ids: readonly string[], names: ReadonlyMap<string, string>, t: Translator): string | null {
  const shown = ids.flatMap((id) => names.get(id) ?? [])
  return shown.length === 0 ? null : t.text('affects', { list: t.list(shown) })
}

/** The maintenance of a page as a calendar (RFC 5545). */
export function calendar({ page, events }: CalendarView): string {
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Pharos//Status page//EN', 'CALSCALE:GREGORIAN', 'METHOD:PUBLISH'],
    ...[`NAME:${icalText(page.name)}`, `X-WR-CALNAME:${icalText(page.name)}`],
    ...['REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'],
    ...(events.length > 0 ? events.flatMap((event) => eventLines(event, page.url)) : noEvents),
    'END:VCALENDAR',
  ]
    .map(line)
    .join('')
}

/** A calendar holds at least one component; one that is about nothing holds the zone that its times would be in. */
const noEvents = [
  ...['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
  ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'],
]

function eventLines({ uid, name, description, startsAt, endsAt, updatedAt }: Event, url: string): string[] {
  return [
    ...['BEGIN:VEVENT', `UID:${uid}`, `DTSTAMP:${stamp(updatedAt)}`, `LAST-MODIFIED:${stamp(updatedAt)}`],
    ...[
      `DTSTART:${stamp(startsAt)}`,
      `DTEND:${stamp(Math.ceil(endsAt / SECOND_MS) * SECOND_MS)}`,
      `SUMMARY:${icalText(name)}`,
    ],
    ...(description === '' ? [] : [`DESCRIPTION:${icalText(description)}`]),
    ...[`URL:${url}`, 'STATUS:CONFIRMED', 'TRANSP:TRANSPARENT', 'END:VEVENT'],
  ]
}

/** A moment in UTC; calendars know no less than a second. */
function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
