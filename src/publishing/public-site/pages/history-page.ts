import type { DbWork } from '../../../storage/query.ts'
import { type Words, wordsOf } from '../languages/translator.ts'
import { html, type Piece, type SafeHtml } from '../markup/html.ts'
import { earliestIncidentAt, incidentsStarted, MOST_INCIDENTS } from '../queries/incidents.ts'
import { type FoundPage, monitorsOf } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import { factsOf, namesOn, type PageFacts, placeOf } from '../views/page-view.ts'
import { incidentLine } from './incident-cards.ts'
import { type Look, sheet } from './layout.ts'

export interface HistoryView {
  readonly page: PageFacts
  readonly at: number
  /** YYYY-MM; the months before and after it are null where there is nothing to see. */
  readonly month: string
  readonly earlier: string | null
  readonly later: string | null
  /** Latest first. */
  readonly incidents: readonly IncidentView[]
  readonly hasMore: boolean
}

/** A month of a page's incidents; undefined where it lies before the page or in the future. `month` is YYYY-MM, or now. */
export function* historyView(
  row: FoundPage,
  baseUrl: string,
  month: string | undefined,
  now: number,
): DbWork<HistoryView | undefined> {
  const page = factsOf(row, baseUrl)
  const place = placeOf(row)
  const monthAt = (at: number): string => wordsOf(page.locale, page.timezone).dateOf(at).slice(0, 7)
  const first = monthAt(Math.min(row.created_at, (yield* earliestIncidentAt(place)) ?? row.created_at))
  const present = monthAt(now)
  const asked = month ?? present
  if (asked < first || asked > present) return undefined
  const found = yield* incidentsStarted(place, startOf(asked, page.timezone), startOf(moved(asked, 1), page.timezone))
  const names = namesOn(row, yield* monitorsOf(place))
  return {
    page,
    at: now,
    month: asked,
    earlier: asked > first ? moved(asked, -1) : null,
    later: asked < present ? moved(asked, 1) : null,
    incidents: yield* incidentViews(place.orgId, found.slice(0, MOST_INCIDENTS), names, 1),
    hasMore: found.length > MOST_INCIDENTS,
  }
}

/** A month as it stands in an address, if it is one. */
export function monthIn(text: string): string | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

function moved(month: string, by: number): string {
  return Temporal.PlainYearMonth.from(month).add({ months: by }).toString()
}

/** When a month begins on the page's calendar. */
function startOf(month: string, zone: string): number {
  return Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 }).toZonedDateTime(zone).epochMilliseconds
}

export function historyPage(view: HistoryView, look: Look): SafeHtml {
  const { page, at, incidents } = view
  const words = wordsOf(page.locale, page.timezone)
  const title = words.text('incidentHistory')
  const month = monthName(view.month, page, words)
  return sheet({
    ...{ page, words, look, at },
    title: `${title}, ${month} · ${page.name}`,
    description: `${title}, ${month}`,
    shape: 'none',
    path: `/history?month=${view.month}`,
    content: html`<h1>${title}</h1>
${months(view, look, words)}
<section class="part"><h2>${month}</h2>${
      incidents.length === 0
        ? html`<p class="empty">${words.text('noIncidentsInMonth')}</p>`
        : html`<div class="card">${incidents.map((incident) => incidentLine(incident, look.root, words, at))}</div>`
    }
${view.hasMore && html`<p class="empty">${words.text('tooManyIncidents', { count: `${MOST_INCIDENTS}` })}</p>`}</section>`,
  })
}

function months({ page, earlier, later }: HistoryView, { root }: Look, words: Words): Piece {
  const link = (month: string, key: 'earlierMonth' | 'laterMonth', rel: string): SafeHtml =>
    html`<a rel="${rel}" href="${root}/history?month=${month}">${words.text(key, { month: monthName(month, page, words) })}</a>`
  return html`<nav class="months" aria-label="${words.text('months')}">
${earlier !== null && link(earlier, 'earlierMonth', 'prev')}
${later !== null && link(later, 'laterMonth', 'next')}</nav>`
}

function monthName(month: string, page: PageFacts, words: Words): string {
  return words.month(startOf(month, page.timezone))
}
