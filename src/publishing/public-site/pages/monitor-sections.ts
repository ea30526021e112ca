import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { lastDaysOf, type UptimeHistory } from '../uptime/daily-uptime.ts'
import type { MonitorPageStatus, MonitorView, PageView, SectionView } from '../views/page-view.ts'
import { bars, DAYS_ON_PHONES, type DayStrip, dayStrip, legend } from './day-bars.ts'
import { icon, shapeOf } from './icons.ts'
import type { RenderOptions } from './layout.ts'
import { sparkline } from './response-charts.ts'

/** On a page with more systems, sections without issues are closed at first. */
const MAX_OPEN_SYSTEMS = 30

/** Worst first. PAUSED and PENDING are no issues. */
const issues = ['MAJOR_OUTAGE', 'PARTIAL_OUTAGE', 'DEGRADED', 'MAINTENANCE'] as const

/** The sections with their monitors, and the legend of the bars. */
export function monitorSections(view: PageView, options: RenderOptions, t: Translator): HtmlValue {
  const strip = dayStrip(options.root, view.firstDayAt, view.dayCount, t)
  const sections = view.sections.filter(({ monitors }) => monitors.length > 0)
  const hasBars = sections.some(({ monitors }) => monitors.some(({ history }) => history !== null))
  return [
    sections.map((section) => sectionPart(section, sections.length, strip, view, options, t)),
    hasBars && legend(t),
  ]
}

function sectionPart(
  { name, monitors }: SectionView,
  sectionCount: number,
  strip: DayStrip,
  view: PageView,
  options: RenderOptions,
  t: Translator,
): SafeHtml {
  const worst = issues.find((status) => monitors.some((monitor) => monitor.status === status))
  const isOpen = worst !== undefined || sectionCount === 1 || view.counts.total <= MAX_OPEN_SYSTEMS
  return html`<section class="part"><details${isOpen && html` open`}><summary><h2><bdi>${name}</bdi></h2>${sectionState(monitors, worst, t)}</summary>
<ul class="monitors card">${monitors.map((monitor) => monitorRow(monitor, strip, view, options, t))}</ul></details></section>`
}

/** Shown beside the title, so that a closed section still tells its state. */
function sectionState(
  monitors: readonly MonitorView[],
  worst: (typeof issues)[number] | undefined,
  t: Translator,
): SafeHtml {
  const count = (...statuses: readonly MonitorPageStatus[]): number =>
    monitors.filter(({ status }) => statuses.includes(status)).length
  const total = { total: `${monitors.length}` }
  if (worst === 'MAJOR_OUTAGE' || worst === 'PARTIAL_OUTAGE') {
    return stateOf('down', t.counted('downOf', count('MAJOR_OUTAGE', 'PARTIAL_OUTAGE'), total))
  }
  if (worst === 'DEGRADED') return stateOf('degraded', t.counted('degradedOf', count('DEGRADED'), total))
  if (worst === 'MAINTENANCE') return stateOf('maintenance', t.counted('maintainedOf', count('MAINTENANCE'), total))
  if (count('OPERATIONAL') > 0) return stateOf('up', t.text('status_OPERATIONAL'))
  const status = count('PAUSED') > 0 ? 'PAUSED' : 'PENDING'
  return stateOf(shapeOf[status], t.text(`status_${status}`))
}

function stateOf(shape: string, text: string): SafeHtml {
  return html`<span class="state ${shape}">${icon(shape as Parameters<typeof icon>[0])}${text}</span>`
}

function monitorRow(
  monitor: MonitorView,
  strip: DayStrip,
  { page, notes }: PageView,
  options: RenderOptions,
  t: Translator,
): SafeHtml {
  const { id, name, status, history, lastResponseMs, medians } = monitor
  const response =
    page.showResponseTimes && lastResponseMs !== null && html`<span class="ms">${t.milliseconds(lastResponseMs)}</span>`
  return html`<li><div class="row"><a href="${options.root}/monitors/${id}"><bdi>${name}</bdi></a>${sparkline(medians, t)}${response}${stateText(status, t)}</div>${
    history && html`${bars(history, strip, t, notes.get(id))}${captions(history, page.showUptime, t)}`
  }</li>
`
}

export function stateText(status: MonitorPageStatus, t: Translator): SafeHtml {
  return stateOf(shapeOf[status], t.text(`status_${status}`))
}

/** Below the bars: their time range and the uptime in it. Phones show fewer days, so they get a caption of their own. */
export function captions(history: UptimeHistory, showUptime: boolean, t: Translator): HtmlValue {
  if (history.days.length <= DAYS_ON_PHONES) return caption(history, showUptime, t, '')
  return [
    caption(history, showUptime, t, ' all-days'),
    caption(lastDaysOf(history, DAYS_ON_PHONES), showUptime, t, ' phone-days'),
  ]
}

function caption(history: UptimeHistory, showUptime: boolean, t: Translator, className: string): SafeHtml {
  const reach = t.counted('lastDays', history.days.length)
  const sum = showUptime ? html`<span>${uptimeText(history, t)}</span>` : null
  return html`<p class="caption${className}"><span>${reach}</span>${sum}<span>${t.text('today')}</span></p>`
}

/** Uptime in percent, and the downtime if there was any. */
function uptimeText({ uptime, downMs }: Pick<UptimeHistory, 'uptime' | 'downMs'>, t: Translator): HtmlValue {
  if (uptime === null) return t.text('status_PENDING')
  const downtime = downMs > 0 && html` <small>${t.text('downtimeOf', { duration: t.duration(downMs) })}</small>`
  return html`<b>${t.text('uptimeOf', { percent: t.percent(uptime) })}</b>${downtime}`
}
