import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import type { IncidentView, UpdateView } from '../views/incident-views.ts'
import { icon, shapeOfIncident } from './icons.ts'
import { time } from './layout.ts'

/** More names than this are counted. */
const NAMES_SHOWN = 8

/** What is affected, in words; nothing where nothing of this page is. */
export function affects(names: readonly string[], t: Translator): HtmlValue {
  if (names.length === 0) return null
  const list = t.list(names.slice(0, NAMES_SHOWN))
  const rest = names.length - NAMES_SHOWN
  const all = rest > 0 ? t.counted('andMore', rest, { list }) : list
  return html`<p class="affects">${t.text('affects', { list: all })}</p>`
}

/** Where an incident stands, what it means, and how long it took or takes. */
export function incidentFacts(incident: IncidentView, t: Translator, now: number): SafeHtml {
  const { state, impact, startedAt, resolvedAt } = incident
  const when =
    resolvedAt === null
      ? t.text('since', { time: t.lately(startedAt) })
      : t.range(startedAt, Math.max(startedAt, resolvedAt))
  return html`<p class="facts"><span class="state">${icon(shapeOfIncident[state])}${t.text(`incident_${state}`)}</span>
<span>${t.text(`impact_${impact}`)}</span>
<span>${when}</span>
<span>${t.duration((resolvedAt ?? now) - startedAt)}</span></p>
${affects(
  incident.affected.map(({ name }) => name),
  t,
)}`
}

/** Updates from the newest to the oldest, each with when and where the incident stood. */
export function timeline(updates: readonly UpdateView[], t: Translator, below: number): SafeHtml {
  return html`<ol class="timeline">${updates.map(
    ({ state, message, publishedAt }) => html`<li>
<p class="when"><strong>${icon(shapeOfIncident[state])}${t.text(`incident_${state}`)}</strong> ${time(publishedAt, t)}</p>
<div class="prose">${markdown(message, below)}</div></li>`,
  )}</ol>`
}

/** How an incident is drawn to attention: by what it means while it lasts. */
export function toneOf({ impact, resolvedAt }: IncidentView): string {
  if (resolvedAt !== null) return 'quiet'
  return impact === 'CRITICAL' || impact === 'MAJOR' ? 'down' : impact === 'MINOR' ? 'degraded' : 'maintenance'
}

/** An incident with its latest updates; its title leads to all of them. */
export function incidentCard(
  incident: IncidentView,
  root: string,
  t: Translator,
  now: number,
  shown: number,
): SafeHtml {
  const { updates } = incident
  return html`<article class="card tone-${toneOf(incident)}">
${incidentTitle(incident, root)}
${incidentFacts(incident, t, now)}
${timeline(updates.slice(0, shown), t, 3)}
${updates.length > shown && html`<p class="more"><a href="${root}/incidents/${incident.id}">${t.text('allUpdates')}</a></p>`}
</article>`
}

export function incidentTitle({ id, title }: IncidentView, root: string): SafeHtml {
  return html`<h3><a href="${root}/incidents/${id}"><bdi>${title}</bdi></a></h3>`
}

/** An incident in a list: what it was, and the last word on it where that is at hand. */
export function incidentListItem(incident: IncidentView, root: string, t: Translator, now: number): SafeHtml {
  const [last] = incident.updates
  return html`<article class="line">
${incidentTitle(incident, root)}
${incidentFacts(incident, t, now)}
${last && html`<div class="prose">${markdown(last.message, 3)}</div>`}
</article>`
}
