import { translatorFor } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import type { IncidentPageView } from '../views/incident-page-view.ts'
import { shapeOfIncident } from './icons.ts'
import { incidentFacts, timeline, toneOf } from './incident-cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'

export function incidentPage({ page, at, incident }: IncidentPageView, options: RenderOptions): SafeHtml {
  const t = translatorFor(page.locale, page.timezone)
  const { id, title, state, postmortem, updates } = incident
  const stateText = t.text(`incident_${state}`)
  return renderLayout({
    page,
    t,
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
