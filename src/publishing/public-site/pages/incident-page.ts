import type { DbWork } from '../../../storage/query.ts'
import { translatorFor } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { incidentOf } from '../queries/incidents.ts'
import { monitorsOf, type StoredPage } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from '../views/page-view.ts'
import { shapeOfIncident } from './icons.ts'
import { incidentFacts, timeline, toneOf } from './incident-cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

export interface IncidentPageView {
  readonly page: PageInfo
  readonly at: number
  readonly incident: IncidentView
}

/** More updates than this nobody reads, and no page should have to carry. */
const MAX_UPDATES = 200

/** A published incident with all that was said about it; undefined where this page has no such incident. */
export function* incidentPageView(
  row: StoredPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<IncidentPageView | undefined> {
  const pageKey = pageKeyOf(row)
  const found = yield* incidentOf(pageKey, id)
  if (found === undefined) return undefined
  const names = displayNamesOn(row, yield* monitorsOf(pageKey))
  const [incident] = yield* incidentViews(pageKey.orgId, [found], names, MAX_UPDATES)
  return incident && { page: pageInfoOf(row, baseUrl), at: now, incident }
}

export function incidentPage({ page, at, incident }: IncidentPageView, options: RenderOptions): SafeHtml {
  const t = translatorFor(page.locale, page.timezone)
  const { id, title, state, postmortem, updates } = incident
  const statusInput = t.text(`incident_${state}`)
  return renderLayout({
    ...{ page, t, options, at },
    title: `${title} · ${page.name}`,
    description: `${statusInput}: ${title}`,
    shape: shapeOfIncident[state],
    path: `/incidents/${id}`,
    content: html`<article class="card wide tone-${toneOf(incident)}">
<h1><bdi>${title}</bdi></h1>
${incidentFacts(incident, t, at)}
</article>
${postmortem !== null && html`<section class="part"><h2>${t.text('postmortem')}</h2><div class="card prose">${markdown(postmortem, 2)}</div></section>`}
<section class="part"><h2>${t.text('updates')}</h2><div class="card">${timeline(updates, t, 2)}</div></section>`,
  })
}
