import { DAY_MS } from '../../../lib/clock.ts'
import type { Translator } from '../languages/translator.ts'
import { html, RepeatedHtml, type SafeHtml } from '../markup/html.ts'
import { type Day, type DayKind, dayKinds, type UptimeHistory } from '../uptime/daily-uptime.ts'
import type { NotesOfMonitor } from '../views/day-notes.ts'
import { isoDate } from '../views/iso-date.ts'

/** More days are split into several rows, because a bar would be thinner than its gap. */
const MAX_DAYS_IN_ROW = 92
/** Phones show only the last days (styles/media.css). */
export const DAYS_ON_PHONES = 45

/** What the bars of all monitors on a page share: a link to the page of each day. */
export interface DayStrip {
  readonly firstDayAt: number
  readonly perRow: number
  /** Everything of a link up to the class. */
  readonly links: readonly SafeHtml[]
  /** The whole links of days without issues, which most days are. */
  readonly healthy: RepeatedHtml
}

/** Days per row, so that all rows are about equally long. */
export function rowLength(dayCount: number): number {
  return Math.ceil(dayCount / Math.ceil(dayCount / MAX_DAYS_IN_ROW))
}

/**
 * The links are left out of the tab order: 90 stops per monitor would make the page unusable by keyboard. The page of a
 * monitor has the same links in a table.
 */
export function dayStrip(root: string, firstDayAt: number, dayCount: number, t: Translator): DayStrip {
  const key = `${root} ${firstDayAt} ${dayCount} ${t.locale}`
  let strip = strips.get(key)
  if (strip === undefined) {
    strip = createStrip(root, firstDayAt, dayCount, t)
    if (strips.size >= MAX_STRIPS) strips.clear()
    strips.set(key, strip)
  }
  return strip
}

/** The same for a whole day. Each takes about 10 KB. */
const MAX_STRIPS = 200
const strips = new Map<string, DayStrip>()

function createStrip(root: string, firstDayAt: number, dayCount: number, t: Translator): DayStrip {
  const links = Array.from(
    { length: dayCount },
    (_, i) => html`<a tabindex="-1" href="${root}/days/${isoDate(firstDayAt + i * DAY_MS)}"`,
  )
  const perRow = rowLength(dayCount)
  const kind = t.text('day_up')
  const healthy = links.map((link, i) => {
    const text = t.text('dayOnly', { date: t.utcDay(firstDayAt + i * DAY_MS), kind })
    const className = isInOlderHalf(i, dayCount, perRow) && html` class="l"`
    return html`${link}${className} data-t="${text}"></a>`
  })
  return { firstDayAt, perRow, links, healthy: new RepeatedHtml(healthy) }
}

/** The tooltip of such a day opens to the right of its bar, otherwise to the left, so that it never leaves the page. */
function isInOlderHalf(i: number, dayCount: number, perRow: number): boolean {
  return (i + fillersOf(dayCount, perRow)) % perRow < perRow / 2
}

/** Empty places before the first day, so that the last day is at the end of a full row. */
function fillersOf(dayCount: number, perRow: number): number {
  return Math.ceil(dayCount / perRow) * perRow - dayCount
}

const filler = html`<i></i>`

/** One bar per day, each a link to the page of the day with a tooltip; for screen readers a summary. */
export function bars({ days }: UptimeHistory, strip: DayStrip, t: Translator, notes?: NotesOfMonitor): SafeHtml {
  const { perRow } = strip
  const fillers = fillersOf(days.length, perRow)
  const rows: SafeHtml[] = []
  for (let end = perRow - fillers; end <= days.length; end += perRow) {
    const start = Math.max(0, end - perRow)
    const before = start === 0 ? Array<SafeHtml>(fillers).fill(filler) : []
    rows.push(html`<div class="days">${before}${rowOf(days, start, end, strip, t, notes)}</div>`)
  }
  return html`<p class="sr">${summaryOf(days, t)}</p><div class="strip" aria-hidden="true">${rows}</div>`
}

/** The bars of some days. Consecutive days without issues are taken as one piece. */
function rowOf(
  days: readonly Day[],
  start: number,
  end: number,
  strip: DayStrip,
  t: Translator,
  notes: NotesOfMonitor | undefined,
): readonly SafeHtml[] {
  const pieces: SafeHtml[] = []
  let healthyFrom = start
  for (let i = start; i < end; i += 1) {
    const day = days[i] as Day
    const titles = notes?.get(i)
    if (day.kind === 'up' && titles === undefined) continue
    pieces.push(strip.healthy.run(healthyFrom, i), notableBar(i, day, days.length, strip, t, titles ?? []))
    healthyFrom = i + 1
  }
  pieces.push(strip.healthy.run(healthyFrom, end))
  return pieces
}

function notableBar(
  i: number,
  day: Day,
  dayCount: number,
  { firstDayAt, perRow, links }: DayStrip,
  t: Translator,
  titles: readonly string[],
): SafeHtml {
  const text = [dayText(day, t.utcDay(firstDayAt + i * DAY_MS), t), ...titles].join('\n')
  const side = isInOlderHalf(i, dayCount, perRow) ? 'l ' : ''
  return html`${links[i]} class="${side}${day.kind}" data-t="${text}"></a>`
}

/** The text of one bar. */
export function dayText(day: Day, date: string, t: Translator): string {
  const kind = t.text(`day_${day.kind}`)
  const ms = problemMs(day)
  return ms === 0 ? t.text('dayOnly', { date, kind }) : t.text('dayFor', { date, kind, duration: t.duration(ms) })
}

/** How long the day was in the state that its bar shows; 0 for up, paused and no data. */
export function problemMs(day: Day): number {
  switch (day.kind) {
    case 'down':
      return day.downMs
    case 'degraded':
      return day.degradedMs
    case 'maintenance':
      return day.maintenanceMs
    case 'unknown':
      return day.unknownMs
    default:
      return 0
  }
}

/** A text alternative for all bars of a monitor, for screen readers. */
export function summaryOf(days: readonly { readonly kind: DayKind }[], t: Translator): string {
  const counts = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0, paused: 0, none: 0 }
  for (const { kind } of days) counts[kind] += 1
  const present = dayKinds.filter((kind) => counts[kind] > 0)
  const list = t.list(present.map((kind) => t.counted(`daysCounted_${kind}`, counts[kind])))
  return t.counted('daysSummary', days.length, { list })
}

export function legend(t: Translator): SafeHtml {
  return html`<ul class="legend" aria-label="${t.text('legend')}">${dayKinds.map(
    (kind) => html`<li><i class="${kind}"></i>${t.text(`day_${kind}`)}</li>`,
  )}</ul>`
}
