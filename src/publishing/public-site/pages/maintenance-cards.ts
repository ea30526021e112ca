import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html } from '../markup/html.ts'
import type { MaintenanceView } from '../views/maintenance-views.ts'
import { icon } from './icons.ts'
import { affectedLine } from './incident-cards.ts'
import { timeRange } from './times.ts'

/** Null without windows. */
export function maintenancePart(
  title: string,
  windows: readonly MaintenanceView[],
  t: Translator,
  tone: string,
): HtmlValue {
  if (windows.length === 0) return null
  return html`<section class="part"><h2>${title}</h2>${windows.map(
    (window) => html`<article class="card ${tone}">
<h3>${icon('maintenance')}<bdi>${window.name}</bdi></h3>
<p class="facts"><span>${timeRange(window.startsAt, window.endsAt, t)}</span>
<span>${t.duration(window.endsAt - window.startsAt)}</span></p>
${window.coversAll ? html`<p class="affects">${t.text('affectsAll')}</p>` : affectedLine(window.monitors, t)}
${window.description !== null && html`<p class="plain">${window.description}</p>`}
</article>`,
  )}</section>`
}
