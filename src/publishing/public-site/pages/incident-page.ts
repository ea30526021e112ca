import type { DbWork } from '../../../storage/query.ts'
import { wordsOf } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { incidentOf } from '../queries/incidents.ts'
import { type FoundPage, monitorsOf } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import { factsOf, namesOn, type PageFacts, placeOf } from '../views/page-view.ts'
import { shapeOfIncident } from './icons.ts'
import { incidentFacts, timeline, toneOf } from './incident-cards.ts'
import { type Look, sheet } from './layout.ts'

export interface IncidentPageView {
  readonly page: PageFacts
  readonly at: number
  readonly incident: IncidentView
}

/** More updates than this nobody reads, and no page should have to carry. */
const MOST_UPDATES = 200

/** A published incident with all that was said about it; undefined where this page has no such incident. */
export function* incidentPageView(
  row: FoundPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<IncidentPageView | undefined> {
  const place = placeOf(row)
  const found = yield* incidentOf(place, id)
  if (found === undefined) return undefined
  const names = namesOn(row, yield* monitorsOf(place))
  const [incident] = yield* incidentViews(place.orgId, [found], names, MOST_UPDATES)
  return incident && { page: factsOf(row, baseUrl), at: now, incident }
}

export function incidentPage({ page, at, incident }: IncidentPageView, look: Look): SafeHtml {
  const words = wordsOf(page.locale, page.timezone)
  const { id, title, state, postmortem, updates } = incident
  const stands = words.text(`incident_${state}`)
  return sheet({
    ...{ page, words, look, at },
    title: `${title} · ${page.name}`,
    description: `${stands}: ${title}`,
    shape: shapeOfIncident[state],
    path: `/incidents/${id}`,
    content: html`<article class="card wide tone-${toneOf(incident)}">
<h1><bdi>${title}</bdi></h1>
${incidentFacts(incident, words, at)}
</article>
${postmortem !== null && html`<section class="part"><h2>${words.text('postmortem')}</h2><div class="card prose">${markdown(postmortem, 2)}</div></section>`}
<section class="part"><h2>${words.text('updates')}</h2><div class="card">${timeline(updates, words, 2)}</div></section>`,
  })
}
