import { DAY_MS } from '../../../lib/clock.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { incidentsBetween, outagesBetween } from '../queries/incidents.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type Day, dayAt, dayKinds, firstDayOf } from '../uptime/daily-uptime.ts'
import { dayOfMonitors } from '../uptime/stored-days.ts'
import { incidentViews } from '../views/incident-views.ts'
import { isoDate } from '../views/iso-date.ts'
import { maintenanceBetween } from '../views/maintenance-views.ts'
import { displayNamesOn, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { liveStateOf } from '../views/page-view.ts'
import { incidentsPart, maintenancePart } from './cards.ts'
import { problemMs } from './day-bars.ts'
import { icon } from './icons.ts'
import { type RenderOptions, renderLayout } from './layout.ts'
import { outageText } from './monitor-page.ts'
import { time, timeRange } from './times.ts'

type DayView = ViewOf<typeof dayView>

/** Occurrences of one window on a day. */
const MAX_OCCURRENCES = 10

/** What happened on one UTC day, on all systems of a page. Undefined for a day in the future, or before the days that the page shows. */
export function* dayView(row: StoredPage, baseUrl: string, date: string, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const { key } = page
  const startAt = Date.parse(`${date}T00:00:00Z`)
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  if (startAt < firstDayAt || startAt > now) return undefined
  const endAt = startAt + DAY_MS
  const rows = yield* monitorsOf(key)
  const inputOf = yield* statusInputsOn(key.orgId, [key.pageId], now)
  const stored = yield* dayOfMonitors(key, startAt)
  const names = yield* displayNamesOn(row, rows)
  const systems = rows.map((monitor) => {
    const input = inputOf(key.pageId, monitor.num, monitor.state)
    const day = dayAt(stored.get(monitor.num), liveStateOf(monitor, input), startAt, now)
    return { num: monitor.num, id: monitor.id, name: names.get(monitor.id) as string, day }
  })
  const nameOf = new Map(systems.map(({ num, name }) => [num, name]))
  const down = systems.filter(({ day }) => day.downMs > 0).map(({ num }) => num)
  const outages = yield* outagesBetween(key.orgId, down, startAt, endAt)
  const published = yield* incidentsBetween(key, startAt, endAt)
  return {
    page,
    at: now,
    startAt,
    /** The days before and after as YYYY-MM-DD; null outside the days that the page shows. */
    earlier: startAt > firstDayAt ? isoDate(startAt - DAY_MS) : null,
    later: endAt <= now ? isoDate(endAt) : null,
    /** Down first, then degraded, then maintenance, then the others; each by name. */
    systems: systems.toSorted((a, b) => rank(a.day) - rank(b.day) || a.name.localeCompare(b.name, page.locale)),
    outages: outages.map((outage) => ({ ...outage, name: nameOf.get(outage.num) as string })),
    incidents: yield* incidentViews(key.orgId, published, names, 1),
    maintenance: yield* maintenanceBetween(key, names, { from: startAt, to: endAt, limit: MAX_OCCURRENCES }),
  }
}

const severity: readonly Day['kind'][] = ['down', 'degraded', 'maintenance', ...dayKinds]

function rank({ kind }: Day): number {
  return severity.indexOf(kind)
}

/** What happened on one day: the incidents, the maintenance, and how long which system was down. */
export function dayPage(view: DayView, options: RenderOptions): SafeHtml {
  const { page, at, startAt, incidents, maintenance } = view
  const { t } = page
  const date = t.utcDay(startAt)
  return renderLayout({
    page,
    options,
    at,
    title: `${date} · ${page.name}`,
    description: `${page.name}, ${date}`,
    shape: 'none',
    path: `/days/${isoDate(startAt)}`,
    content: [
      html`<h1>${date}</h1>`,
      neighbours(view, options, t),
      incidentsPart(incidents, options.root, t, at),
      maintenancePart(t.text('status_MAINTENANCE'), maintenance, t, 'tone-maintenance'),
      systemsPart(view, options, t),
      outagesPart(view, t),
    ],
  })
}

function neighbours({ earlier, later }: DayView, { root }: RenderOptions, t: Translator): SafeHtml {
  const link = (date: string, key: 'earlierMonth' | 'laterMonth', rel: string): SafeHtml =>
    html`<a rel="${rel}" href="${root}/days/${date}">${t.text(key, { month: t.utcDay(Date.parse(date)) })}</a>`
  return html`<nav class="months" aria-label="${t.text('days')}">
${earlier !== null && link(earlier, 'earlierMonth', 'prev')}
${later !== null && link(later, 'laterMonth', 'next')}</nav>`
}

/** Systems with issues as a table; the others are counted. */
function systemsPart({ systems }: DayView, { root }: RenderOptions, t: Translator): HtmlValue {
  if (systems.length === 0) return null
  const shown = systems.filter(({ day }) => day.kind !== 'up')
  const rest = systems.length - shown.length
  return html`<section class="part"><h2>${t.text('systems')}</h2>${
    shown.length === 0
      ? html`<p class="empty">${icon('up')}${t.text('noIssuesOnDay')}</p>`
      : html`<div class="card snug"><table>
<thead><tr><th scope="col">${t.text('systems')}</th><th scope="col">${t.text('state')}</th><th scope="col">${t.text('downtime')}</th></tr></thead>
<tbody>${shown.map((system) => systemRow(system, root, t))}</tbody></table></div>
${rest > 0 && html`<p class="detail">${t.counted('otherSystems', rest)}</p>`}`
  }</section>`
}

function systemRow({ id, name, day }: DayView['systems'][number], root: string, t: Translator): SafeHtml {
  const ms = problemMs(day)
  const duration = day.kind !== 'down' && ms > 0 && html` <small>${t.duration(ms)}</small>`
  return html`<tr><th scope="row"><a href="${root}/monitors/${id}"><bdi>${name}</bdi></a></th>
<td data-label="${t.text('state')}"><span class="state ${day.kind}">${icon(day.kind)}${t.text(`day_${day.kind}`)}</span>${duration}</td>
<td data-label="${t.text('downtime')}">${downtime(day.downMs, day.upMs, t)}</td></tr>`
}

/** A dash where nothing was measured, such as on a paused day. */
function downtime(downMs: number, upMs: number, t: Translator): string {
  if (downMs > 0) return t.duration(downMs)
  return upMs > 0 ? t.text('noDowntime') : '–'
}

function outagesPart({ outages, at }: DayView, t: Translator): HtmlValue {
  if (outages.length === 0) return null
  return html`<section class="part"><h2>${t.text('outages')}</h2><ul class="card snug lines">${outages.map(
    ({ name, ...outage }) => {
      const { started_at: from, resolved_at: to } = outage
      const length = outageText(outage, at, t)
      return html`<li>${icon(to === null ? 'down' : 'up')}<span><b><bdi>${name}</bdi></b> ${to === null ? time(from, t) : timeRange(from, Math.max(from, to), t)} · ${length}</span></li>`
    },
  )}</ul></section>`
}
