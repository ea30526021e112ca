import { DAY_MS, SECOND_MS } from '../../../lib/clock.ts'
import { stripControls } from '../../../lib/text.ts'
import type { StoredPage } from '../queries/pages.ts'
import { maintenanceBetween } from '../views/maintenance-views.ts'
import { displayNamesOn, pageInfoOf, type ViewOf } from '../views/page-info.ts'

/** One occurrence of a maintenance window. */
interface Event {
  readonly uid: string
  readonly name: string
  readonly description: string
  readonly startsAt: number
  readonly endsAt: number
  readonly updatedAt: number
}

/** Past events stay in the calendar for this long. */
const PAST_DAYS = 31
const FUTURE_DAYS = 366
const MAX_EVENTS = 200

/**
 * The maintenance of a page as events. Recurring windows are expanded into single events instead of an RRULE, because
 * calendar programs disagree about start times that fall into a daylight saving gap.
 */
export function* calendarView(row: StoredPage, baseUrl: string, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const { t } = page
  // Whole days, so that the content and its ETag stay the same for a day.
  const [from, to] = [dayOf(now) - PAST_DAYS * DAY_MS, dayOf(now) + FUTURE_DAYS * DAY_MS]
  const names = yield* displayNamesOn(row)
  const { hostname } = new URL(baseUrl)
  const occurrences = yield* maintenanceBetween(page.key, names, { from, to, limit: MAX_EVENTS })
  const events = occurrences.map(({ window, startsAt, endsAt, monitors }): Event => {
    const { id, name, description, isAll, recurrence } = window
    const affected = isAll ? t.text('affectsAll') : monitors.length > 0 && t.text('affects', { list: t.list(monitors) })
    return {
      // A single event keeps its uid when it is moved; every occurrence of a recurring window has its own.
      uid: `${id}${recurrence === 'NONE' ? '' : `-${stamp(startsAt)}`}@${hostname}`,
      name,
      description: [description, affected].filter((part) => part !== null && part !== false).join('\n\n'),
      startsAt,
      endsAt,
      updatedAt: window.updated_at,
    }
  })
  const soonest = events.toSorted((a, b) => a.startsAt - b.startsAt || (a.uid < b.uid ? -1 : 1))
  return { page, events: soonest.slice(0, MAX_EVENTS) }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** RFC 5545. */
export function calendar({ page, events }: ViewOf<typeof calendarView>): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Pharos//Status page//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${icalText(page.name)}`,
    `X-WR-CALNAME:${icalText(page.name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...(events.length > 0 ? events.flatMap((event) => eventLines(event, page.url)) : noEvents),
    'END:VCALENDAR',
  ]
    .map(foldLine)
    .join('')
}

/** RFC 5545 requires at least one component, so an empty calendar contains a time zone. */
const noEvents = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]

function eventLines({ uid, name, description, startsAt, endsAt, updatedAt }: Event, url: string): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${stamp(updatedAt)}`,
    `LAST-MODIFIED:${stamp(updatedAt)}`,
    `DTSTART:${stamp(startsAt)}`,
    `DTEND:${stamp(Math.ceil(endsAt / SECOND_MS) * SECOND_MS)}`,
    `SUMMARY:${icalText(name)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${icalText(description)}`]),
    `URL:${url}`,
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/** UTC, with second precision. */
function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** Escapes text as a property value (RFC 5545, 3.3.11). */
export function icalText(text: string): string {
  return stripControls(text.toWellFormed().replace(/\r\n?/g, '\n'))
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
}

const MAX_OCTETS = 75

/** Folds a content line to at most 75 octets per line, without splitting characters. */
export function foldLine(content: string): string {
  const folded: string[] = []
  let part = ''
  let octets = 0
  for (const character of content) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      folded.push(part)
      // A continuation line starts with a space, which counts.
      part = ''
      octets = 1
    }
    part += character
    octets += size
  }
  return `${[...folded, part].join('\r\n ')}\r\n`
}
