import { DAY_MS } from '../../../lib/clock.ts'
import type { Translator } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'
import { type Day, type DayKind, dayKinds, type UptimeHistory } from '../uptime/daily-uptime.ts'

/** SVG units. A day is a bar of 3 and a gap of 1. */
const PITCH = 4
const HEIGHT = 32
const ROW_GAP = 6
/** More days are split into several rows, because on a phone a bar would be thinner than a pixel. */
const MAX_DAYS_IN_ROW = 92

/** The path of one day. Every kind has its own shape, so that it can be told without its colour. */
const outlines: Readonly<Record<DayKind, string>> = {
  up: `M0 1q0-1 1-1h1q1 0 1 1v30q0 1-1 1h-1q-1 0-1-1z`,
  degraded: `M0 13.8q0-1 1-1h1q1 0 1 1v17.2q0 1-1 1h-1q-1 0-1-1z`,
  down: `M0 0l1.5 6 1.5-6v31q0 1-1 1h-1q-1 0-1-1z`,
  maintenance: `M0 3l3-3v4l-3 3zM0 10l3-3v4l-3 3zM0 17l3-3v4l-3 3zM0 24l3-3v4l-3 3zM0 31l3-3v4h-3z`,
  paused: `M0 1q0-1 1-1h1q1 0 1 1v30q0 1-1 1h-1q-1 0-1-1zM.8 1.6v28.8h1.4v-28.8z`,
  none: `M0 27.5q0-1 1-1h1q1 0 1 1v3.5q0 1-1 1h-1q-1 0-1-1z`,
}

/** Kinds that usually last many days: one element shows all consecutive days, clipped from a shared full row. */
const groupedKinds: ReadonlySet<DayKind> = new Set(['up', 'paused', 'none'])

const symbolCache = new Map<number, SafeHtml>()

/** The shapes that bars refer to: a full row for grouped kinds, one day for the others. */
export function barSymbols(dayCount: number): SafeHtml {
  const length = rowLength(dayCount)
  let symbols = symbolCache.get(length)
  if (symbols === undefined) {
    symbols = html`${dayKinds.map((kind) => {
      const count = groupedKinds.has(kind) ? length : 1
      const path = Array.from({ length: count }, (_, i) => shiftRight(outlines[kind], i * PITCH)).join('')
      return html`<path id="b-${kind}" class="${kind}" fill-rule="evenodd" d="${path}"/>`
    })}`
    symbolCache.set(length, symbols)
  }
  return symbols
}

function shiftRight(outline: string, by: number): string {
  return by === 0 ? outline : outline.replace(/M([\d.]+)/g, (_, x: string) => `M${+(Number(x) + by).toFixed(2)}`)
}

/** Days per row, so that all rows are about equally long. */
export function rowLength(dayCount: number): number {
  return Math.ceil(dayCount / Math.ceil(dayCount / MAX_DAYS_IN_ROW))
}

/** One bar per day; `firstDayAt` is the start of the first day. */
export function bars({ days }: UptimeHistory, firstDayAt: number, t: Translator): SafeHtml {
  const perRow = rowLength(days.length)
  const rows = Math.ceil(days.length / perRow)
  const height = rows * (HEIGHT + ROW_GAP) - ROW_GAP
  const runs = Array.from({ length: rows }, (_, row) => runsOf(days, row * perRow, (row + 1) * perRow)).flat()
  const elements = runs.map((run) => {
    const x = (run.start % perRow) * PITCH
    const y = Math.floor(run.start / perRow) * (HEIGHT + ROW_GAP)
    return renderRun(run, x, y, run.length === perRow, titleOf(run, days[run.start] as Day, firstDayAt, t))
  })
  return html`<svg class="bars rows-${rows}" viewBox="0 0 ${perRow * PITCH - 1} ${height}" preserveAspectRatio="none" role="img" aria-label="${summaryOf(runs, t)}">${elements}</svg>`
}

interface Run {
  readonly kind: DayKind
  readonly start: number
  readonly length: number
}

function runsOf(days: readonly Day[], from: number, to: number): Run[] {
  const runs: Run[] = []
  for (let start = from; start < Math.min(to, days.length); ) {
    const { kind } = days[start] as Day
    let end = start + 1
    while (groupedKinds.has(kind) && end < Math.min(to, days.length) && days[end]?.kind === kind) end += 1
    runs.push({ kind, start, length: end - start })
    start = end
  }
  return runs
}

function renderRun({ kind, length }: Run, x: number, y: number, isFullRow: boolean, title: string | null): SafeHtml {
  const titleElement = title !== null && html`<title>${title}</title>`
  const yAttribute = y > 0 && html` y="${y}"`
  if (isFullRow || !groupedKinds.has(kind))
    return html`<use href="#b-${kind}" x="${x}"${yAttribute}>${titleElement}</use>`
  return html`<svg x="${x}"${yAttribute} width="${length * PITCH - 1}" height="${HEIGHT}"><use href="#b-${kind}"/>${titleElement}</svg>`
}

function titleOf({ kind, start, length }: Run, day: Day, firstDayAt: number, t: Translator): string | null {
  if (kind === 'up') return null
  const from = t.utcDay(firstDayAt + start * DAY_MS)
  const to = t.utcDay(firstDayAt + (start + length - 1) * DAY_MS)
  const date = length === 1 ? from : t.text('fromTo', { from, to })
  return groupedKinds.has(kind) ? t.text('dayOnly', { date, kind: t.text(`day_${kind}`) }) : dayText(day, date, t)
}

/** The text of one bar. */
export function dayText(day: Day, date: string, t: Translator): string {
  const kind = t.text(`day_${day.kind}`)
  const ms = problemMs(day)
  return ms === 0 ? t.text('dayOnly', { date, kind }) : t.text('dayFor', { date, kind, duration: t.duration(ms) })
}

/** How long the day was in the state that its bar shows; 0 for up, paused and no data. */
export function problemMs(day: Day): number {
  switch (day.kind) {
    case 'down':
      return day.downMs
    case 'degraded':
      return day.degradedMs
    case 'maintenance':
      return day.maintenanceMs
    default:
      return 0
  }
}

/** A text alternative for all bars of a monitor, for screen readers. */
export function summaryOf(runs: readonly Pick<Run, 'kind' | 'length'>[], t: Translator): string {
  const counts = { up: 0, degraded: 0, down: 0, maintenance: 0, paused: 0, none: 0 }
  let total = 0
  for (const { kind, length } of runs) {
    counts[kind] += length
    total += length
  }
  const present = dayKinds.filter((kind) => counts[kind] > 0)
  const list = t.list(present.map((kind) => t.counted(`daysCounted_${kind}`, counts[kind])))
  return t.counted('daysSummary', total, { list })
}

export function legend(t: Translator): SafeHtml {
  return html`<ul class="legend" aria-label="${t.text('legend')}">${dayKinds.map(
    (kind) =>
      html`<li><svg class="sample" viewBox="0 0 3 32" preserveAspectRatio="none" aria-hidden="true"><use href="#b-${kind}"/></svg>${t.text(`day_${kind}`)}</li>`,
  )}</ul>`
}
