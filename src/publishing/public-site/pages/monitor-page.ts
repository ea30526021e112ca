import { DAY_MS } from '../../../lib/clock.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { incidentsOfMonitor, type Outage, outagesOf } from '../queries/incidents.ts'
import { monitorOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type Day, firstDayOf, uptimeHistoryOf } from '../uptime/daily-uptime.ts'
import { daysOfMonitor } from '../uptime/stored-days.ts'
import { type Period, uptimePeriodsOf } from '../uptime/uptime-periods.ts'
import { dayNotesOf } from '../views/day-notes.ts'
import { incidentViews } from '../views/incident-views.ts'
import { isoDate } from '../views/iso-date.ts'
import { displayNamesOn, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { liveStateOf, monitorView } from '../views/page-view.ts'
import { incidentsPart } from './cards.ts'
import { bars, dayStrip, dayText, legend, problemMs } from './day-bars.ts'
import { icon, shapeOf } from './icons.ts'
import { type RenderOptions, renderLayout } from './layout.ts'
import { captions, stateText } from './monitor-sections.ts'
import { responseCharts } from './response-charts.ts'
import { textWithTime, time } from './times.ts'

type MonitorPageView = ViewOf<typeof monitorPageView>

/** Undefined if the page does not show this monitor. */
export function* monitorPageView(row: StoredPage, baseUrl: string, id: string, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const { key } = page
  const found = yield* monitorOf(key, id)
  if (found === undefined) return undefined
  const { num } = found
  const statusInput = (yield* statusInputsOn(key.orgId, [key.pageId], now))(key.pageId, num, found.state)
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  const stored = yield* daysOfMonitor(key, num, firstDayAt)
  const liveState = liveStateOf(found, statusInput)
  const names = yield* displayNamesOn(row)
  const monitor = monitorView(found, statusInput, uptimeHistoryOf(stored, liveState, page.historyDays, now))
  const published = yield* incidentsOfMonitor(key, num, firstDayAt)
  return {
    page,
    at: now,
    monitor: { ...monitor, name: names.get(id) ?? monitor.name },
    firstDayAt,
    notes: dayNotesOf(published, firstDayAt, now).get(id),
    uptime: yield* uptimePeriodsOf(num, now),
    outages: yield* outagesOf(key.orgId, num, firstDayAt),
    incidents: yield* incidentViews(key.orgId, published, names, 1),
  }
}

export function monitorPage(view: MonitorPageView, options: RenderOptions): SafeHtml {
  const { page, monitor, at } = view
  const { t } = page
  const { history, status, since } = monitor
  const charts = [
    { ...view.uptime.hourly, title: t.counted('lastDays', 7) },
    { ...view.uptime.daily, title: t.counted('lastDays', 90) },
  ]
  const statusText = t.text(`status_${status}`)
  const known = since !== null && status !== 'PENDING'
  return renderLayout({
    page,
    options,
    at,
    title: `${monitor.name}: ${statusText} · ${page.name}`,
    description: `${monitor.name}: ${statusText}`,
    shape: shapeOf[status],
    path: `/monitors/${monitor.id}`,
    content: html`<article class="card wide">
<h1><bdi>${monitor.name}</bdi></h1>
<p class="facts">${stateText(status, t)}${known && html`<span>${textWithTime('since', since, t)}</span>`}</p>
${history && html`${bars(history, dayStrip(options.root, view.firstDayAt, history.days.length, t), t, view.notes)}${captions(history, page.showUptime, t)}${legend(t)}`}
</article>
${periodsPart(view, t)}
${page.showResponseTimes && responseCharts(charts, t)}
${daysPart(view, options, t)}
${outagesPart(view, t)}
${incidentsPart(view.incidents, options.root, t, at)}`,
  })
}

function periodsPart({ page, uptime: { periods } }: MonitorPageView, t: Translator): HtmlValue {
  if (!page.showUptime && !page.showResponseTimes) return null
  const cell = (label: string, value: HtmlValue): SafeHtml => html`<td data-label="${label}">${value}</td>`
  const column = (label: string): SafeHtml => html`<th scope="col">${label}</th>`
  const ms = (value: number | null): string => (value === null ? '–' : t.milliseconds(value))
  const [uptime, down] = [t.text('uptime'), t.text('downtime')]
  const [median, p95] = [t.text('median'), t.text('percentile95')]
  const title = page.showUptime ? uptime : t.text('responseTimes')
  return html`<section class="part"><h2>${title}</h2><div class="card snug"><table>
<thead><tr>${column(t.text('period'))}${page.showUptime && [column(uptime), column(down)]}${page.showResponseTimes && [column(median), column(p95)]}</tr></thead>
<tbody>${periods.map(
    ({ period, stats: { uptime: share, totals, p50Ms, p95Ms } }) =>
      html`<tr><th scope="row">${periodText(period, t)}</th>${
        page.showUptime && [
          cell(uptime, share === null ? '–' : t.percent(share)),
          cell(down, share === null ? '–' : downtimeText(totals.downMs, t)),
        ]
      }${page.showResponseTimes && [cell(median, ms(p50Ms)), cell(p95, ms(p95Ms))]}</tr>`,
  )}</tbody></table></div></section>`
}

function downtimeText(downMs: number, t: Translator): string {
  return downMs > 0 ? t.duration(downMs) : t.text('noDowntime')
}

function periodText(period: Period, t: Translator): string {
  return 'hours' in period ? t.counted('lastHours', period.hours) : t.counted('lastDays', period.days)
}

interface DatedDay {
  readonly day: Day
  readonly at: number
}

/** The bars as text: the days with issues, and all days in a table that opens. Each links to the page of its day. */
function daysPart(
  { monitor: { history }, firstDayAt }: MonitorPageView,
  { root }: RenderOptions,
  t: Translator,
): HtmlValue {
  if (history === null) return null
  const days = history.days.map((day, i): DatedDay => ({ day, at: firstDayAt + i * DAY_MS })).reverse()
  // That nobody looked is no issue of the system; the table of all days has it.
  const withIssues = days.filter(({ day }) => day.kind !== 'unknown' && problemMs(day) > 0)
  return html`<section class="part"><h2>${t.text('problemDays')}</h2>${
    withIssues.length === 0
      ? html`<p class="empty">${icon('up')}${t.text('noProblemDays')}</p>`
      : html`<ul class="card snug lines">${withIssues.map(
          ({ day, at }) =>
            html`<li>${icon(day.kind)}<a href="${dayPath(root, at)}">${dayText(day, t.utcDay(at), t)}</a></li>`,
        )}</ul>`
  }
<details class="card snug"><summary>${t.text('allDays')}</summary>${daysTable(days, root, t)}</details></section>`
}

function dayPath(root: string, at: number): string {
  return `${root}/days/${isoDate(at)}`
}

function daysTable(days: readonly DatedDay[], root: string, t: Translator): SafeHtml {
  const [state, down] = [t.text('state'), t.text('downtime')]
  return html`<table class="compact"><thead><tr><th scope="col">${t.text('day')}</th><th scope="col">${state}</th><th scope="col">${down}</th></tr></thead>
<tbody>${days.map(
    ({ day: { kind, downMs }, at }) =>
      html`<tr><th scope="row"><a href="${dayPath(root, at)}">${t.utcDay(at)}</a></th><td><span class="state ${kind}">${icon(kind)}${t.text(`day_${kind}`)}</span></td><td>${downMs > 0 ? t.duration(downMs) : '–'}</td></tr>`,
  )}</tbody></table>`
}

function outagesPart({ outages, at }: MonitorPageView, t: Translator): SafeHtml {
  return html`<section class="part"><h2>${t.text('outages')}</h2>${
    outages.length === 0
      ? html`<p class="empty">${icon('up')}${t.text('noOutages')}</p>`
      : html`<ul class="card snug lines">${outages.map(
          (outage) =>
            html`<li>${icon(outage.resolved_at === null ? 'down' : 'up')}${time(outage.started_at, t)} ${outageText(outage, at, t)}</li>`,
        )}</ul>`
  }</section>`
}

/** Without the time in which the monitor was paused, like the duration of its incident. */
export function outageText(outage: Outage, now: number, t: Translator): string {
  const { started_at: from, resolved_at: to, paused_ms: pausedMs } = outage
  const duration = t.duration((to ?? now) - from - pausedMs)
  return to === null ? t.text('ongoingFor', { duration }) : t.text('outageFor', { duration })
}
