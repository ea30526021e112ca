import type { DbWork } from '../../../storage/query.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { earliestIncidentAt, incidentsStarted, MAX_INCIDENTS } from '../queries/incidents.ts'
import { monitorsOf, type StoredPage } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from '../views/page-view.ts'
import { incidentListItem } from './incident-cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

export interface HistoryView {
  readonly page: PageInfo
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
  row: StoredPage,
  baseUrl: string,
  month: string | undefined,
  now: number,
): DbWork<HistoryView | undefined> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const monthAt = (at: number): string => translatorFor(page.locale, page.timezone).dateOf(at).slice(0, 7)
  const first = monthAt(Math.min(row.created_at, (yield* earliestIncidentAt(pageKey)) ?? row.created_at))
  const present = monthAt(now)
  const asked = month ?? present
  if (asked < first || asked > present) return undefined
  const found = yield* incidentsStarted(pageKey, startOf(asked, page.timezone), startOf(moved(asked, 1), page.timezone))
  const names = displayNamesOn(row, yield* monitorsOf(pageKey))
  return {
    page,
    at: now,
    month: asked,
    earlier: asked > first ? moved(asked, -1) : null,
    later: asked < present ? moved(asked, 1) : null,
    incidents: yield* incidentViews(pageKey.orgId, found.slice(0, MAX_INCIDENTS), names, 1),
    hasMore: found.length > MAX_INCIDENTS,
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

export function historyPage(view: HistoryView, options: RenderOptions): SafeHtml {
  const { page, at, incidents } = view
  const t = translatorFor(page.locale, page.timezone)
  const title = t.text('incidentHistory')
  const month = monthName(view.month, page, t)
  return renderLayout({
    ...{ page, t, options, at },
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
  return t.month(startOf(month, page.timezone))
}
