import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { PAST_DAYS, type PageView } from '../views/page-view.ts'
import { incidentCard, incidentListItem, maintenancePart } from './cards.ts'
import { bannerIcon, icon } from './icons.ts'
import { type RenderOptions, renderLayout } from './layout.ts'
import { monitorSections } from './monitor-sections.ts'
import { overallShape, overallText } from './overall-text.ts'

/** Per active incident. */
const MAX_UPDATES = 5
/** Upcoming maintenance. */
const MAX_NEXT = 5

export function statusPage(view: PageView, options: RenderOptions): SafeHtml {
  const { page } = view
  const { t } = page
  const overall = overallText(view)
  const { true: running = [], false: next = [] } = Object.groupBy(
    view.maintenance,
    ({ startsAt }) => `${startsAt <= view.at}`,
  )
  return renderLayout({
    page,
    options,
    at: view.at,
    title: `${page.name}: ${overall}`,
    description: page.description ?? overall,
    shape: overallShape(view),
    path: '',
    content: [
      banner(view, overall, t),
      page.description !== null && html`<p class="about">${page.description}</p>`,
      activePart(view, options, t),
      maintenancePart(t.text('maintenanceNow'), running, t, 'tone-maintenance'),
      maintenancePart(t.text('maintenanceNext'), next.slice(0, MAX_NEXT), t, 'tone-quiet'),
      monitorSections(view, options, t),
      pastPart(view, options, t),
    ],
  })
}

function banner(view: PageView, overall: string, t: Translator): SafeHtml {
  const shape = overallShape(view)
  const { total, MAJOR_OUTAGE, PARTIAL_OUTAGE, DEGRADED, MAINTENANCE } = view.counts
  const count = (key: 'downOf' | 'degradedOf' | 'maintainedOf', of: number): string[] =>
    of === 0 ? [] : [t.counted(key, of, { total: `${total}` })]
  const details = [
    ...count('downOf', MAJOR_OUTAGE + PARTIAL_OUTAGE),
    ...count('degradedOf', DEGRADED),
    ...count('maintainedOf', MAINTENANCE),
  ]
  const detail = details.length > 0 ? details.join(' · ') : total > 0 && t.counted('monitorCount', total)
  return html`<section class="banner ${shape}">${bannerIcon(shape)}
<div><p class="sentence">${overall}</p>${detail && html`<p class="detail">${detail}</p>`}</div></section>`
}

function activePart(view: PageView, options: RenderOptions, t: Translator): HtmlValue {
  if (view.active.length === 0) return null
  return html`<section class="part"><h2>${t.text('activeIncidents')}</h2>
${view.active.map((incident) => incidentCard(incident, options.root, t, view.at, MAX_UPDATES))}</section>`
}

/** Without past incidents: "No incidents reported", but not below an ongoing one. */
function pastPart({ past, active, at }: PageView, options: RenderOptions, t: Translator): SafeHtml {
  const list =
    past.length > 0
      ? html`<div class="card">${past.map((incident) => incidentListItem(incident, options.root, t, at))}</div>`
      : active.length === 0 && html`<p class="empty">${icon('up')}${t.text('noIncidents')}</p>`
  return html`<section class="part">${list && html`<h2>${t.counted('pastIncidents', PAST_DAYS)}</h2>${list}`}
<p class="more"><a href="${options.root}/history">${t.text('incidentHistory')}</a></p></section>`
}
