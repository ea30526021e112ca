import { html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { incidentOf } from '../queries/incidents.ts'
import type { StoredPage } from '../queries/pages.ts'
import { incidentViews } from '../views/incident-views.ts'
import { displayNamesOn, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { incidentFacts, timeline, toneOf } from './cards.ts'
import { shapeOfIncident } from './icons.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

/** The API accepts no more updates than this (see published-incidents/post-update.ts). */
const MAX_UPDATES = 200

/** A published incident with all its updates; undefined if it is not on this page. */
export function* incidentPageView(row: StoredPage, baseUrl: string, id: string, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const found = yield* incidentOf(page.key, id)
  if (found === undefined) return undefined
  const names = yield* displayNamesOn(row)
  const [incident] = yield* incidentViews(page.key.orgId, [found], names, MAX_UPDATES)
  return incident && { page, at: now, incident }
}

export function incidentPage(
  { page, at, incident }: ViewOf<typeof incidentPageView>,
  options: RenderOptions,
): SafeHtml {
  const { t } = page
  const { id, title, state, postmortem, updates } = incident
  const stateText = t.text(`incident_${state}`)
  return renderLayout({
    page,
    options,
    at,
    title: `${title} · ${page.name}`,
    description: `${stateText}: ${title}`,
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
