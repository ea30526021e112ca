import { DAY_MS } from '../../../lib/clock.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import type { HourlyMedians, ResponsePoint, ResponseSeries } from '../uptime/response-times.ts'

/** SVG units. The chart is stretched to the width of the page. */
const HEIGHT = 120
const SPARK_HEIGHT = 20

/** The median and p95 over time, one chart per series that has at least two points. */
export function responseCharts(
  series: readonly (ResponseSeries & { readonly title: string })[],
  t: Translator,
): HtmlValue {
  const shown = series.filter(({ points }) => points.length > 1)
  if (shown.length === 0) return null
  return html`<section class="part"><h2>${t.text('responseTimes')}</h2>
<div class="charts">${shown.map((one) => chart(one, t))}</div></section>`
}

function chart(series: ResponseSeries & { readonly title: string }, t: Translator): SafeHtml {
  const { title, stepMs, from, steps, points } = series
  const top = niceCeiling(Math.max(...points.map(({ p95Ms }) => p95Ms)))
  const timeOf = (at: number): string => (stepMs < DAY_MS ? t.lately(at) : t.utcDay(at))
  const valuesOf = ({ p50Ms, p95Ms }: ResponsePoint): string =>
    t.text('responseSummary', { median: t.milliseconds(p50Ms), p95: t.milliseconds(p95Ms) })
  const last = points.at(-1) as ResponsePoint
  const label = `${title}. ${timeOf(last.startAt)}: ${valuesOf(last)}`
  const byStep = new Map(points.map((point) => [(point.startAt - from) / stepMs, point]))
  const cells = Array.from({ length: steps }, (_, i) => {
    const point = byStep.get(i)
    const text = point && `${timeOf(point.startAt)}\n${valuesOf(point)}`
    return html`<i${text !== undefined && html` data-t="${text}"`}${i < steps / 2 && html` class="l"`}></i>`
  })
  return html`<figure class="card"><figcaption><b>${title}</b> <span class="key p50">${t.text('median')}</span> <span class="key p95">${t.text('percentile95')}</span></figcaption>
<p class="scale">${t.milliseconds(top)}</p>
<div class="plot"><svg viewBox="0 0 ${steps} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="p95" d="${line(series, top, 'p95Ms')}"/><path class="p50" d="${line(series, top, 'p50Ms')}"/></svg><div class="cells" aria-hidden="true">${cells}</div></div>
<p class="caption"><span>${timeOf(from)}</span><span>${timeOf(from + (steps - 1) * stepMs)}</span></p></figure>`
}

/** A line through the middle of every step, interrupted where steps have no point. */
function line({ stepMs, from, points }: ResponseSeries, top: number, key: 'p50Ms' | 'p95Ms'): string {
  let path = ''
  let next = -1
  for (const point of points) {
    const step = (point.startAt - from) / stepMs
    const y = Math.round(HEIGHT * (1 - point[key] / top))
    // A point alone would be invisible: it becomes a dash as wide as its step.
    path += step === next ? `L${step + 0.5} ${y}` : `M${step} ${y}L${step + 0.5} ${y}`
    next = step + 1
  }
  return path
}

/** 1, 2, 2.5 or 5 times a power of ten: the top of a scale. */
export function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10) * power
}

/** A line without axes; null with fewer than two hours. */
export function sparkline(medians: HourlyMedians | null, t: Translator): HtmlValue {
  if (medians === null) return null
  const known = medians.filter((ms) => ms !== null)
  if (known.length < 2) return null
  const top = Math.max(...known)
  let path = ''
  let isOpen = false
  for (const [i, ms] of medians.entries()) {
    if (ms !== null) path += `${isOpen ? ' ' : 'M'}${i} ${Math.round(SPARK_HEIGHT * (1 - (0.9 * ms) / top))}`
    isOpen = ms !== null
  }
  return html`<svg class="spark" viewBox="0 0 ${medians.length - 1} ${SPARK_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${t.text('sparkline')}"><path d="${path}"/></svg>`
}
