import { type Words, wordsOf } from '../languages/translator.ts'
import { html, type Piece, type SafeHtml } from '../markup/html.ts'
import type { Figures } from '../uptime/daily-uptime.ts'
import type { MaintenanceView } from '../views/maintenance-views.ts'
import { type MonitorView, PAST_DAYS, type PageView, type SectionView } from '../views/page-view.ts'
import { barShapes, bars, legend } from './day-bars.ts'
import { badge, icon, type Shape, shapeOf } from './icons.ts'
import { affects, incidentCard, incidentLine } from './incident-cards.ts'
import { type Look, sheet } from './layout.ts'
import { subscribePart } from './subscription-pages.ts'

/** Of an incident that is going on so many updates are shown. */
const UPDATES_SHOWN = 5

/** The public page itself. */
export function statusPage(view: PageView, look: Look): SafeHtml {
  const { page } = view
  const words = wordsOf(page.locale, page.timezone)
  const sentence = sentenceOf(view, words)
  return sheet({
    ...{ page, words, look, at: view.at },
    title: `${page.name}: ${sentence}`,
    description: page.description ?? sentence,
    shape: shapeOfPage(view),
    path: '',
    shapes: barShapes(page.historyDays),
    content: [
      banner(view, sentence, words),
      page.description !== null && html`<p class="about">${page.description}</p>`,
      activePart(view, look, words),
      maintenancePart(words.text('maintenanceNow'), view.running, words, 'tone-maintenance'),
      maintenancePart(words.text('maintenanceNext'), view.next, words, 'tone-quiet'),
      view.sections.map((section, i) => sectionPart(section, i, view, look, words)),
      view.sections.some(hasBars) && legend(words),
      pastPart(view, look, words),
      look.canMail && page.subscribersEnabled && subscribePart(look.root, words),
    ],
  })
}

/** How things stand, in one sentence. Nothing is called operational of which nothing is known. */
export function sentenceOf({ overall, counts, active }: PageView, words: Words): string {
  if (counts.total - counts.PAUSED - counts.PENDING === 0) {
    return words.text(active.length > 0 ? 'activeIncidents' : 'overall_unknown')
  }
  return words.text(overall === 'OPERATIONAL' && active.length > 0 ? 'overall_open' : `overall_${overall}`)
}

/** The shape that stands for the whole page. */
export function shapeOfPage({ overall, counts, active }: PageView): Shape {
  if (overall !== 'OPERATIONAL') return shapeOf[overall]
  if (active.length > 0) return 'degraded'
  return counts.OPERATIONAL > 0 ? 'up' : 'none'
}

function banner(view: PageView, sentence: string, words: Words): SafeHtml {
  const shape = shapeOfPage(view)
  const { total, MAJOR_OUTAGE, PARTIAL_OUTAGE, DEGRADED, MAINTENANCE } = view.counts
  const count = (key: 'downOf' | 'degradedOf' | 'maintainedOf', of: number): string[] =>
    of === 0 ? [] : [words.text(key, { count: `${of}`, total: `${total}` })]
  const details = [
    ...count('downOf', MAJOR_OUTAGE + PARTIAL_OUTAGE),
    ...count('degradedOf', DEGRADED),
    ...count('maintainedOf', MAINTENANCE),
  ]
  const detail = details.length > 0 ? details.join(' · ') : total > 0 && words.counted('monitorCount', total)
  return html`<section class="banner ${shape}">${badge(shape)}
<div><p class="sentence">${sentence}</p>${detail && html`<p class="detail">${detail}</p>`}</div></section>`
}

function activePart(view: PageView, look: Look, words: Words): Piece {
  if (view.active.length === 0) return null
  return html`<section class="part"><h2>${words.text('activeIncidents')}</h2>
${view.active.map((incident) => incidentCard(incident, look.root, words, view.at, UPDATES_SHOWN))}</section>`
}

function maintenancePart(title: string, windows: readonly MaintenanceView[], words: Words, tone: string): Piece {
  if (windows.length === 0) return null
  return html`<section class="part"><h2>${title}</h2>${windows.map(
    (window) => html`<article class="card ${tone}">
<h3>${icon('maintenance')}<bdi>${window.name}</bdi></h3>
<p class="facts"><span>${words.range(window.startsAt, window.endsAt)}</span>
<span>${words.duration(window.endsAt - window.startsAt)}</span></p>
${window.coversAll ? html`<p class="affects">${words.text('affectsAll')}</p>` : affects(window.monitors, words)}
${window.description !== null && html`<p class="plain">${window.description}</p>`}
</article>`,
  )}</section>`
}

function hasBars({ monitors }: SectionView): boolean {
  return monitors.some(({ figures }) => figures !== null)
}

function sectionPart(section: SectionView, i: number, view: PageView, look: Look, words: Words): Piece {
  if (section.monitors.length === 0) return null
  return html`<section class="part" aria-labelledby="s${i}"><h2 id="s${i}"><bdi>${section.name}</bdi></h2>
<ul class="monitors card">${section.monitors.map((monitor) => monitorRow(monitor, view, look, words))}</ul></section>`
}

function monitorRow(monitor: MonitorView, view: PageView, look: Look, words: Words): SafeHtml {
  const { page, firstDayAt } = view
  const { id, name, status, figures, lastResponseMs } = monitor
  const response =
    page.showResponseTimes &&
    lastResponseMs !== null &&
    html`<span class="ms">${words.milliseconds(lastResponseMs)}</span>`
  return html`<li><div class="row"><a href="${look.root}/monitors/${id}"><bdi>${name}</bdi></a>${response}${stateText(status, words)}</div>${
    figures && html`${bars(figures, firstDayAt, words)}${caption(figures, page.showUptime, words)}`
  }</li>
`
}

export function stateText(status: MonitorView['status'], words: Words): SafeHtml {
  const shape = shapeOf[status]
  return html`<span class="state ${shape}">${icon(shape)}${words.text(`status_${status}`)}</span>`
}

/** What stands below the bars: how far they reach, and what they come to. */
export function caption(figures: Figures, showUptime: boolean, words: Words): SafeHtml {
  const reach = words.counted('lastDays', figures.days.length)
  const sum = showUptime ? html`<span>${uptimeText(figures, words)}</span>` : null
  return html`<p class="caption"><span>${reach}</span>${sum}<span>${words.text('today')}</span></p>`
}

/** Uptime with the arithmetic that it comes from. */
export function uptimeText({ uptime, upMs, downMs }: Pick<Figures, 'uptime' | 'upMs' | 'downMs'>, words: Words): Piece {
  if (uptime === null) return words.text('noUptime')
  const sum = words.text('downTimeOf', { down: words.minutes(downMs), total: words.minutes(upMs + downMs) })
  return html`<b>${words.text('uptimeOf', { percent: words.percent(uptime) })}</b> <small>${sum}</small>`
}

function pastPart({ past, at }: PageView, look: Look, words: Words): SafeHtml {
  return html`<section class="part"><h2>${words.counted('pastIncidents', PAST_DAYS)}</h2>${
    past.length === 0
      ? html`<p class="empty">${icon('up')}${words.text('noIncidents')}</p>`
      : html`<div class="card">${past.map((incident) => incidentLine(incident, look.root, words, at))}</div>`
  }
<p class="more"><a href="${look.root}/history">${words.text('incidentHistory')}</a></p></section>`
}
