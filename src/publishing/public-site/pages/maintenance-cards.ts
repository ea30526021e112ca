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
    ({ window: { name, description }, startsAt, endsAt, coversAll, monitors }) => html`<article class="card ${tone}">
<h3>${icon('maintenance')}<bdi>${name}</bdi></h3>
<p class="facts"><span>${timeRange(startsAt, endsAt, t)}</span>
<span>${t.duration(endsAt - startsAt)}</span></p>
${coversAll ? html`<p class="affects">${t.text('affectsAll')}</p>` : affectedLine(monitors, t)}
${description !== null && html`<p class="plain">${description}</p>`}
</article>`,
  )}</section>`
}
