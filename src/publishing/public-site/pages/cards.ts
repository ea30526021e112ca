import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import type { IncidentView, UpdateView } from '../views/incident-views.ts'
import type { MaintenanceView } from '../views/maintenance-views.ts'
import { icon, shapeOfIncident } from './icons.ts'
import { textWithTime, time, timeRange } from './times.ts'

/** Names beyond this number are only counted. */
const MAX_NAMES = 8

/** Null if no monitor of the page is affected. */
function affectedLine(names: readonly string[], t: Translator): HtmlValue {
  if (names.length === 0) return null
  const list = t.list(names.slice(0, MAX_NAMES))
  const rest = names.length - MAX_NAMES
  const all = rest > 0 ? t.counted('andMore', rest, { list }) : list
  return html`<p class="affects">${t.text('affects', { list: all })}</p>`
}

/** Status, impact, time, duration and affected monitors. */
export function incidentFacts(incident: IncidentView, t: Translator, now: number): SafeHtml {
  const { state, impact, startedAt, resolvedAt } = incident
  const when =
    resolvedAt === null
      ? textWithTime('since', startedAt, t, t.lately(startedAt))
      : timeRange(startedAt, Math.max(startedAt, resolvedAt), t)
  return html`<p class="facts"><span class="state">${icon(shapeOfIncident[state])}${t.text(`incident_${state}`)}</span>
<span>${t.text(`impact_${impact}`)}</span>
<span>${when}</span>
<span>${t.duration((resolvedAt ?? now) - startedAt)}</span></p>
${affectedLine(
  incident.affected.map(({ name }) => name),
  t,
)}`
}

export function timeline(updates: readonly UpdateView[], t: Translator, headingLevel: number): SafeHtml {
  return html`<ol class="timeline">${updates.map(
    ({ state, message, publishedAt }) => html`<li>
<p class="when"><strong>${icon(shapeOfIncident[state])}${t.text(`incident_${state}`)}</strong> ${time(publishedAt, t)}</p>
<div class="prose">${markdown(message, headingLevel)}</div></li>`,
  )}</ol>`
}

/** The colour of the card: by impact while the incident is active. */
export function toneOf({ impact, resolvedAt }: IncidentView): string {
  if (resolvedAt !== null) return 'quiet'
  return impact === 'CRITICAL' || impact === 'MAJOR' ? 'down' : impact === 'MINOR' ? 'degraded' : 'maintenance'
}

/** An incident with its latest updates and a link to its own page. */
export function incidentCard(
  incident: IncidentView,
  root: string,
  t: Translator,
  now: number,
  maxUpdates: number,
): SafeHtml {
  const { updates } = incident
  return html`<article class="card tone-${toneOf(incident)}">
${incidentTitle(incident, root)}
${incidentFacts(incident, t, now)}
${timeline(updates.slice(0, maxUpdates), t, 3)}
${updates.length > maxUpdates && html`<p class="more"><a href="${root}/incidents/${incident.id}">${t.text('allUpdates')}</a></p>`}
</article>`
}

function incidentTitle({ id, title }: IncidentView, root: string): SafeHtml {
  return html`<h3><a href="${root}/incidents/${id}"><bdi>${title}</bdi></a></h3>`
}

/** Incidents with only their latest update. Null without incidents. */
export function incidentsPart(incidents: readonly IncidentView[], root: string, t: Translator, now: number): HtmlValue {
  if (incidents.length === 0) return null
  return html`<section class="part"><h2>${t.text('incidentsOfMonitor')}</h2>
<div class="card">${incidents.map((incident) => incidentListItem(incident, root, t, now))}</div></section>`
}

/** An incident with only its latest update. */
export function incidentListItem(incident: IncidentView, root: string, t: Translator, now: number): SafeHtml {
  const [last] = incident.updates
  return html`<article class="line">
${incidentTitle(incident, root)}
${incidentFacts(incident, t, now)}
${last && html`<div class="prose">${markdown(last.message, 3)}</div>`}
</article>`
}

/** Null without windows. */
export function maintenancePart(
  title: string,
  windows: readonly MaintenanceView[],
  t: Translator,
  tone: string,
): HtmlValue {
  if (windows.length === 0) return null
  return html`<section class="part"><h2>${title}</h2>${windows.map(
    ({ window: { name, description }, startsAt, endsAt, coversAll, monitors }) => html`<article class="card ${tone}">
<h3>${icon('maintenance')}<bdi>${name}</bdi></h3>
<p class="facts"><span>${timeRange(startsAt, endsAt, t)}</span>
<span>${t.duration(endsAt - startsAt)}</span></p>
${coversAll ? html`<p class="affects">${t.text('affectsAll')}</p>` : affectedLine(monitors, t)}
${description !== null && html`<p class="plain">${description}</p>`}
</article>`,
  )}</section>`
}
