import type { Words } from '../languages/translator.ts'
import { html, type Piece, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import type { IncidentView, UpdateView } from '../views/incident-views.ts'
import { icon, shapeOfIncident } from './icons.ts'
import { time } from './layout.ts'

/** More names than this are counted. */
const NAMES_SHOWN = 8

/** What is affected, in words; nothing where nothing of this page is. */
export function affects(names: readonly string[], words: Words): Piece {
  if (names.length === 0) return null
  const list = words.list(names.slice(0, NAMES_SHOWN))
  const rest = names.length - NAMES_SHOWN
  const all = rest > 0 ? words.counted('andMore', rest, { list }) : list
  return html`<p class="affects">${words.text('affects', { list: all })}</p>`
}

/** Where an incident stands, what it means, and how long it took or takes. */
export function incidentFacts(incident: IncidentView, words: Words, now: number): SafeHtml {
  const { state, impact, startedAt, resolvedAt } = incident
  const when =
    resolvedAt === null
      ? words.text('since', { time: words.lately(startedAt) })
      : words.range(startedAt, Math.max(startedAt, resolvedAt))
  return html`<p class="facts"><span class="state">${icon(shapeOfIncident[state])}${words.text(`incident_${state}`)}</span>
<span>${words.text(`impact_${impact}`)}</span>
<span>${when}</span>
<span>${words.duration((resolvedAt ?? now) - startedAt)}</span></p>
${affects(
  incident.affected.map(({ name }) => name),
  words,
)}`
}

/** Updates from the newest to the oldest, each with when and where the incident stood. */
export function timeline(updates: readonly UpdateView[], words: Words, below: number): SafeHtml {
  return html`<ol class="timeline">${updates.map(
    ({ state, message, publishedAt }) => html`<li>
<p class="when"><strong>${icon(shapeOfIncident[state])}${words.text(`incident_${state}`)}</strong> ${time(publishedAt, words)}</p>
<div class="prose">${markdown(message, below)}</div></li>`,
  )}</ol>`
}

/** How an incident is drawn to attention: by what it means while it lasts. */
export function toneOf({ impact, resolvedAt }: IncidentView): string {
  if (resolvedAt !== null) return 'quiet'
  return impact === 'CRITICAL' || impact === 'MAJOR' ? 'down' : impact === 'MINOR' ? 'degraded' : 'maintenance'
}

/** An incident with its latest updates; its title leads to all of them. */
export function incidentCard(incident: IncidentView, root: string, words: Words, now: number, shown: number): SafeHtml {
  const { updates } = incident
  return html`<article class="card tone-${toneOf(incident)}">
${incidentTitle(incident, root)}
${incidentFacts(incident, words, now)}
${timeline(updates.slice(0, shown), words, 3)}
${updates.length > shown && html`<p class="more"><a href="${root}/incidents/${incident.id}">${words.text('allUpdates')}</a></p>`}
</article>`
}

export function incidentTitle({ id, title }: IncidentView, root: string): SafeHtml {
  return html`<h3><a href="${root}/incidents/${id}"><bdi>${title}</bdi></a></h3>`
}

/** An incident in a list: what it was, and the last word on it where that is at hand. */
export function incidentLine(incident: IncidentView, root: string, words: Words, now: number): SafeHtml {
  const [last] = incident.updates
  return html`<article class="line">
${incidentTitle(incident, root)}
${incidentFacts(incident, words, now)}
${last && html`<div class="prose">${markdown(last.message, 3)}</div>`}
</article>`
}
