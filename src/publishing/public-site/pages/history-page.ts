import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { MAX_INCIDENTS } from '../queries/incidents.ts'
import { type HistoryView, startOfMonth } from '../views/history-view.ts'
import type { PageInfo } from '../views/page-info.ts'
import { incidentListItem } from './incident-cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

export function historyPage(view: HistoryView, options: RenderOptions): SafeHtml {
  const { page, at, incidents } = view
  const t = translatorFor(page.locale, page.timezone)
  const title = t.text('incidentHistory')
  const month = monthName(view.month, page, t)
  return renderLayout({
    page,
    t,
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
