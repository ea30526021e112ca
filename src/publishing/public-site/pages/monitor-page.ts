import { DAY_MS } from '../../../lib/clock.ts'
import type { DbWork } from '../../../storage/query.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import { type Words, wordsOf } from '../languages/translator.ts'
import { html, type Piece, type SafeHtml } from '../markup/html.ts'
import { incidentsOfMonitor, type Outage, outagesOf } from '../queries/incidents.ts'
import { daysOfMonitor, type FoundPage, monitorOf, monitorsOf } from '../queries/pages.ts'
import { figuresOf, firstDayOf } from '../uptime/daily-uptime.ts'
import { type SpanLength, type SpanView, spansOf } from '../uptime/uptime-periods.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import {
  accountOf,
  factsOf,
  type MonitorView,
  monitorView,
  namesOn,
  type PageFacts,
  placeOf,
} from '../views/page-view.ts'
import { barShapes, bars, dayText, lastedMs, legend } from './day-bars.ts'
import { icon, shapeOf, shapeOfDay } from './icons.ts'
import { incidentLine } from './incident-cards.ts'
import { type Look, sheet, time } from './layout.ts'
import { caption, stateText } from './status-page.ts'

export interface MonitorPageView {
  readonly page: PageFacts
  readonly at: number
  readonly monitor: MonitorView
  readonly firstDayAt: number
  readonly spans: readonly SpanView[]
  readonly outages: readonly Outage[]
  readonly incidents: readonly IncidentView[]
}

/** A monitor of a page in full; undefined where the page shows no such monitor. */
export function* monitorPageView(
  row: FoundPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<MonitorPageView | undefined> {
  const page = factsOf(row, baseUrl)
  const place = placeOf(row)
  const found = yield* monitorOf(place, id)
  if (found === undefined) return undefined
  const { num } = found
  const stands = (yield* statusInputsOn(place.orgId, [place.pageId], now))(place.pageId, num, found.state)
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  const stored = yield* daysOfMonitor(place, num, firstDayAt)
  const account = accountOf(found, stands)
  const names = namesOn(row, yield* monitorsOf(place))
  const monitor = monitorView(found, stands, figuresOf(stored, account, page.historyDays, now))
  return {
    page,
    at: now,
    monitor: { ...monitor, name: names.get(id) ?? monitor.name },
    firstDayAt,
    spans: yield* spansOf(place.orgId, num, account, now),
    outages: yield* outagesOf(place.orgId, num, firstDayAt),
    incidents: yield* incidentViews(place.orgId, yield* incidentsOfMonitor(place, num, firstDayAt), names, 1),
  }
}

export function monitorPage(view: MonitorPageView, look: Look): SafeHtml {
  const { page, monitor, at } = view
  const words = wordsOf(page.locale, page.timezone)
  const { figures, status, since } = monitor
  const statusText = words.text(`status_${status}`)
  const known = since !== null && status !== 'PENDING'
  return sheet({
    ...{ page, words, look, at },
    title: `${monitor.name}: ${statusText} · ${page.name}`,
    description: `${monitor.name}: ${statusText}`,
    shape: shapeOf[status],
    path: `/monitors/${monitor.id}`,
    shapes: barShapes(page.historyDays),
    content: html`<article class="card wide">
<h1><bdi>${monitor.name}</bdi></h1>
<p class="facts">${stateText(status, words)}${known && html`<span>${words.text('since', { time: words.moment(since) })}</span>`}</p>
${figures && html`${bars(figures, view.firstDayAt, words)}${caption(figures, page.showUptime, words)}${legend(words)}`}
</article>
${spansPart(view, words)}
${problemDaysPart(view, words)}
${outagesPart(view, words)}
${incidentsPart(view, look, words)}`,
  })
}

function spansPart({ page, spans }: MonitorPageView, words: Words): Piece {
  if (!page.showUptime && !page.showResponseTimes) return null
  const cell = (label: string, value: Piece): SafeHtml => html`<td data-label="${label}">${value}</td>`
  const column = (label: string): SafeHtml => html`<th scope="col">${label}</th>`
  const ms = (value: number | null): string => (value === null ? '–' : words.milliseconds(value))
  const [uptime, down] = [words.text('uptime'), words.text('downTime')]
  const [median, p95] = [words.text('median'), words.text('percentile95')]
  const title = page.showUptime ? uptime : words.text('responseTimes')
  return html`<section class="part"><h2>${title}</h2><div class="card snug"><table>
<thead><tr>${column(words.text('period'))}${page.showUptime && [column(uptime), column(down)]}${page.showResponseTimes && [column(median), column(p95)]}</tr></thead>
<tbody>${spans.map(
    ({ span, fared: { uptime: share, tally, p50Ms, p95Ms } }) =>
      html`<tr><th scope="row">${spanText(span, words)}</th>${
        page.showUptime && [
          cell(uptime, share === null ? '–' : words.percent(share)),
          cell(down, share === null ? '–' : downTime(tally.upMs, tally.downMs, words)),
        ]
      }${page.showResponseTimes && [cell(median, ms(p50Ms)), cell(p95, ms(p95Ms))]}</tr>`,
  )}</tbody></table></div></section>`
}

function downTime(upMs: number, downMs: number, words: Words): string {
  return words.text('downTimeOf', { down: words.minutes(downMs), total: words.minutes(upMs + downMs) })
}

function spanText(span: SpanLength, words: Words): string {
  return 'hours' in span ? words.counted('lastHours', span.hours) : words.counted('lastDays', span.days)
}

/** What the bars say by colour and shape, as a list. */
function problemDaysPart({ monitor: { figures }, firstDayAt }: MonitorPageView, words: Words): Piece {
  if (figures === null) return null
  const days = figures.days
    .map((day, i) => ({ day, at: firstDayAt + i * DAY_MS }))
    .filter(({ day }) => lastedMs(day) > 0)
    .reverse()
  return html`<section class="part"><h2>${words.text('problemDays')}</h2>${
    days.length === 0
      ? html`<p class="empty">${icon('up')}${words.text('noProblemDays')}</p>`
      : html`<ul class="card snug lines">${days.map(
          ({ day, at }) => html`<li>${icon(shapeOfDay[day.kind])}${dayText(day, words.utcDay(at), words)}</li>`,
        )}</ul>`
  }</section>`
}

function outagesPart({ outages, at }: MonitorPageView, words: Words): SafeHtml {
  return html`<section class="part"><h2>${words.text('outages')}</h2>${
    outages.length === 0
      ? html`<p class="empty">${icon('up')}${words.text('noOutages')}</p>`
      : html`<ul class="card snug lines">${outages.map(
          ({ started_at: from, resolved_at: to }) =>
            html`<li>${icon(to === null ? 'down' : 'up')}${time(from, words)} ${outageText(from, to, at, words)}</li>`,
        )}</ul>`
  }</section>`
}

function outageText(from: number, to: number | null, now: number, words: Words): string {
  const duration = words.duration((to ?? now) - from)
  return to === null ? words.text('ongoingFor', { duration }) : words.text('outageFor', { duration })
}

function incidentsPart({ incidents, at }: MonitorPageView, look: Look, words: Words): Piece {
  if (incidents.length === 0) return null
  return html`<section class="part"><h2>${words.text('incidentsOfMonitor')}</h2>
<div class="card">${incidents.map((incident) => incidentLine(incident, look.root, words, at))}</div></section>`
}
