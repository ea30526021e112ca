import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import type { UptimeHistory } from '../uptime/daily-uptime.ts'
import type { MaintenanceView } from '../views/maintenance-views.ts'
import { type MonitorView, PAST_DAYS, type PageView, type SectionView } from '../views/page-view.ts'
import { barSymbols, bars, legend } from './day-bars.ts'
import { bannerIcon, icon, shapeOf } from './icons.ts'
import { affectedLine, incidentCard, incidentListItem } from './incident-cards.ts'
import { type RenderOptions, renderLayout } from './layout.ts'
import { overallShape, overallText } from './overall-text.ts'

/** Per active incident. */
const MAX_UPDATES = 5

export function statusPage(view: PageView, options: RenderOptions): SafeHtml {
  const { page } = view
  const t = translatorFor(page.locale, page.timezone)
  const overall = overallText(view, t)
  return renderLayout({
    ...{ page, t, options, at: view.at },
    title: `${page.name}: ${overall}`,
    description: page.description ?? overall,
    shape: overallShape(view),
    path: '',
    symbols: barSymbols(page.historyDays),
    content: [
      banner(view, overall, t),
      page.description !== null && html`<p class="about">${page.description}</p>`,
      activePart(view, options, t),
      maintenancePart(t.text('maintenanceNow'), view.running, t, 'tone-maintenance'),
      maintenancePart(t.text('maintenanceNext'), view.next, t, 'tone-quiet'),
      view.sections.map((section, i) => sectionPart(section, i, view, options, t)),
      view.sections.some(hasBars) && legend(t),
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

function maintenancePart(title: string, windows: readonly MaintenanceView[], t: Translator, tone: string): HtmlValue {
  if (windows.length === 0) return null
  return html`<section class="part"><h2>${title}</h2>${windows.map(
    (window) => html`<article class="card ${tone}">
<h3>${icon('maintenance')}<bdi>${window.name}</bdi></h3>
<p class="facts"><span>${t.range(window.startsAt, window.endsAt)}</span>
<span>${t.duration(window.endsAt - window.startsAt)}</span></p>
${window.coversAll ? html`<p class="affects">${t.text('affectsAll')}</p>` : affectedLine(window.monitors, t)}
${window.description !== null && html`<p class="plain">${window.description}</p>`}
</article>`,
  )}</section>`
}

function hasBars({ monitors }: SectionView): boolean {
  return monitors.some(({ history }) => history !== null)
}

function sectionPart(
  section: SectionView,
  i: number,
  view: PageView,
  options: RenderOptions,
  t: Translator,
): HtmlValue {
  if (section.monitors.length === 0) return null
  return html`<section class="part" aria-labelledby="s${i}"><h2 id="s${i}"><bdi>${section.name}</bdi></h2>
<ul class="monitors card">${section.monitors.map((monitor) => monitorRow(monitor, view, options, t))}</ul></section>`
}

function monitorRow(monitor: MonitorView, view: PageView, options: RenderOptions, t: Translator): SafeHtml {
  const { page, firstDayAt } = view
  const { id, name, status, history, lastResponseMs } = monitor
  const response =
    page.showResponseTimes && lastResponseMs !== null && html`<span class="ms">${t.milliseconds(lastResponseMs)}</span>`
  return html`<li><div class="row"><a href="${options.root}/monitors/${id}"><bdi>${name}</bdi></a>${response}${stateText(status, t)}</div>${
    history && html`${bars(history, firstDayAt, t)}${caption(history, page.showUptime, t)}`
  }</li>
`
}

export function stateText(status: MonitorView['status'], t: Translator): SafeHtml {
  const shape = shapeOf[status]
  return html`<span class="state ${shape}">${icon(shape)}${t.text(`status_${status}`)}</span>`
}

/** Below the bars: their time range and the uptime. */
export function caption(history: UptimeHistory, showUptime: boolean, t: Translator): SafeHtml {
  const reach = t.counted('lastDays', history.days.length)
  const sum = showUptime ? html`<span>${uptimeText(history, t)}</span>` : null
  return html`<p class="caption"><span>${reach}</span>${sum}<span>${t.text('today')}</span></p>`
}

/** Uptime in percent, and the downtime if there was any. */
function uptimeText({ uptime, downMs }: Pick<UptimeHistory, 'uptime' | 'downMs'>, t: Translator): HtmlValue {
  if (uptime === null) return t.text('noUptime')
  const downtime = downMs > 0 && html` <small>${t.text('downtimeOf', { duration: t.duration(downMs) })}</small>`
  return html`<b>${t.text('uptimeOf', { percent: t.percent(uptime) })}</b>${downtime}`
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
