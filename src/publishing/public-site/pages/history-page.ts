import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { earliestIncidentAt, incidentsStarted, MAX_INCIDENTS } from '../queries/incidents.ts'
import type { StoredPage } from '../queries/pages.ts'
import { incidentViews } from '../views/incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { incidentListItem } from './cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

type HistoryView = ViewOf<typeof historyView>

/** The incidents of a month, the current one by default; undefined for months before the first incident or in the future. */
export function* historyView(row: StoredPage, baseUrl: string, month: string | undefined, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const monthAt = (at: number): string => page.t.dateOf(at).slice(0, 7)
  const first = monthAt(Math.min(row.created_at, (yield* earliestIncidentAt(page.key)) ?? row.created_at))
  const current = monthAt(now)
  const selected = month ?? current
  if (selected < first || selected > current) return undefined
  const found = yield* incidentsStarted(
    page.key,
    startOfMonth(selected, page.timezone),
    startOfMonth(addMonths(selected, 1), page.timezone),
  )
  const names = yield* displayNamesOn(row)
  return {
    page,
    at: now,
    /** YYYY-MM. */
    month: selected,
    /** The months before and after; null outside the range that has content. */
    earlier: selected > first ? addMonths(selected, -1) : null,
    later: selected < current ? addMonths(selected, 1) : null,
    /** Latest first. */
    incidents: yield* incidentViews(page.key.orgId, found.slice(0, MAX_INCIDENTS), names, 1),
    hasMore: found.length > MAX_INCIDENTS,
  }
}

/** Parses the `month` query parameter. */
export function parseMonth(text: string): string | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

function addMonths(month: string, count: number): string {
  return Temporal.PlainYearMonth.from(month).add({ months: count }).toString()
}

/** The start of a month in the time zone of the page. */
function startOfMonth(month: string, zone: string): number {
  return Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 }).toZonedDateTime(zone).epochMilliseconds
}

export function historyPage(view: HistoryView, options: RenderOptions): SafeHtml {
  const { page, at, incidents } = view
  const { t } = page
  const title = t.text('incidentHistory')
  const month = monthName(view.month, page, t)
  return renderLayout({
    page,
    options,
    at,
    title: `${title}, ${month} · ${page.name}`,
    description: `${title}, ${month}`,
    shape: 'none',
    path: `/history?month=${view.month}`,
    content: html`<h1>${title}</h1>
${months(view, options, t)}
<section class="part"><h2>${month}</h2>${
      incidents.length === 0
        ? html`<p class="empty">${t.text('noIncidentsInMonth')}</p>`
        : html`<div class="card">${incidents.map((incident) => incidentListItem(incident, options.root, t, at))}</div>`
    }
${view.hasMore && html`<p class="empty">${t.text('tooManyIncidents', { count: `${MAX_INCIDENTS}` })}</p>`}</section>`,
  })
}

function months({ page, earlier, later }: HistoryView, { root }: RenderOptions, t: Translator): HtmlValue {
  const link = (month: string, key: 'earlierMonth' | 'laterMonth', rel: string): SafeHtml =>
    html`<a rel="${rel}" href="${root}/history?month=${month}">${t.text(key, { month: monthName(month, page, t) })}</a>`
  return html`<nav class="months" aria-label="${t.text('months')}">
${earlier !== null && link(earlier, 'earlierMonth', 'prev')}
${later !== null && link(later, 'laterMonth', 'next')}</nav>`
}

function monthName(month: string, page: PageInfo, t: Translator): string {
  return t.month(startOfMonth(month, page.timezone))
}
