import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { axisDate, axisTime, number } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

export interface Shade {
  readonly from: number
  readonly to: number
  readonly kind: 'down' | 'maintenance' | 'unknown'
}

export interface ChartProps {
  /** Starts of consecutive hours or days, in seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  /** The last second that is shown. */
  readonly until: number
  readonly shades: readonly Shade[]
  readonly thresholdMs: number | null
  /** Summary for screen readers. */
  readonly label: string
  readonly onPoint: (index: number | null) => void
  /** Called with the seconds between which the user dragged. */
  readonly onZoom: (from: number, to: number) => void
}

interface ChartLine {
  readonly values: readonly (number | null)[]
  /** The name of a token. */
  readonly colour: string
  readonly dash?: readonly number[]
  readonly isFilled?: boolean
}

const HEIGHT = 220

/** The chart, in a separate chunk with its library. */
export default function ResponseChart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const chart = useRef<uPlot>(null)
  const { times, lines, shades, thresholdMs, label } = props
  useEffect(() => {
    const element = place.current as HTMLDivElement
    const draw = () => {
      chart.current?.destroy()
      chart.current = new uPlot(optionsFor(element, latest), dataOf(latest.current), element)
    }
    draw()
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    // Redraws the canvas when the theme changes.
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    const themed = new MutationObserver(draw)
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      resized.disconnect()
      themed.disconnect()
      dark.removeEventListener('change', draw)
      chart.current?.destroy()
      chart.current = null
    }
  }, [])
  useEffect(() => chart.current?.setData(dataOf(latest.current)), [times, lines, shades, thresholdMs])
  return <div ref={place} role="img" aria-label={label} class="h-55 overflow-hidden" />
}

function dataOf({ times, lines }: ChartProps): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

function optionsFor(element: HTMLElement, latest: { current: ChartProps }): uPlot.Options {
  const colour = colours()
  const font = '12px system-ui, sans-serif'
  const axis = { stroke: colour('muted'), font, grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: {
      x: { time: true, range: () => [latest.current.times[0] ?? 0, latest.current.until] },
      y: { range: (_chart, _min, max) => [0, ceilingFor(max, latest.current.thresholdMs)] },
    },
    axes: [
      { ...axis, space: 70, values: (_chart, ticks, _axis, _space, step) => ticks.map((at) => timeLabel(at, step)) },
      {
        ...axis,
        size: 60,
        values: (_chart, ticks) =>
          ticks.map((ms) => (ms < 1000 ? t('{ms} ms', { ms }) : `${number(ms / 1000)} ${t('s')}`)),
      },
    ],
    series: [
      {},
      ...latest.current.lines.map((line, i) => ({
        stroke: colour(line.colour),
        width: i === 0 ? 2 : 1.5,
        ...(line.dash && { dash: [...line.dash] }),
        ...(line.isFilled && { fill: colour('accent-soft') }),
        points,
      })),
    ],
    hooks: {
      drawClear: [(chart) => drawShades(chart, latest.current.shades, colour)],
      draw: [(chart) => drawThreshold(chart, latest.current.thresholdMs, colour)],
      setSelect: [(chart) => zoom(chart, latest.current.onZoom)],
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? null)],
    },
  }
}

/** A shorter drag is a click. */
const MIN_DRAG_PX = 8

function zoom(chart: uPlot, onZoom: ChartProps['onZoom']): void {
  const { left, width } = chart.select
  if (width < MIN_DRAG_PX) return
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
  onZoom(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
}

/** The time in the reader's format; the date at midnight and between whole days. */
function timeLabel(seconds: number, stepSeconds: number): string {
  const at = new Date(seconds * 1000)
  return stepSeconds >= 86_400 || (at.getHours() === 0 && at.getMinutes() === 0) ? axisDate(at) : axisTime(at)
}

/** Draws isolated points, which would be invisible as a line. */
const FEW = 31
const points: uPlot.Series.Points = {
  show: ({ data }, series) => (data[series] ?? []).filter((value) => value !== null).length <= FEW,
  size: 5,
}

function colours(): (name: string) => string {
  const style = getComputedStyle(document.documentElement)
  return (name) => style.getPropertyValue(`--${name}`).trim()
}

/** Hides a threshold far above the data, which would flatten the lines. */
const FAR = 4

function ceilingFor(max: number | null, thresholdMs: number | null): number {
  const most = Math.max(max ?? 0, 10)
  const top = thresholdMs !== null && thresholdMs <= most * FAR ? Math.max(most, thresholdMs) : most
  return top * 1.15
}

const shadeDashes = { down: [], maintenance: [4, 3], unknown: [1, 4] } as const satisfies Record<
  Shade['kind'],
  number[]
>

function drawShades(chart: uPlot, shades: readonly Shade[], colour: (name: string) => string): void {
  const { ctx, bbox } = chart
  ctx.save()
  for (const { from, to, kind } of shades) {
    const [start, end] = [chart.valToPos(from, 'x', true), chart.valToPos(to, 'x', true)]
    const edge = bbox.left + bbox.width
    // Minimum width, so that short spans stay visible.
    const left = Math.max(bbox.left, Math.min(start, edge - 3 * devicePixelRatio))
    const right = Math.min(edge, Math.max(end, left + 3 * devicePixelRatio))
    if (start > edge || end < bbox.left) continue
    ctx.globalAlpha = 0.22
    const shade = colour(kind === 'unknown' ? 'paused' : kind)
    ctx.fillStyle = shade
    ctx.fillRect(left, bbox.top, right - left, bbox.height)
    // A line on top distinguishes them without colour: solid for an outage, dashed for maintenance, dotted for time without checks.
    ctx.globalAlpha = 1
    ctx.strokeStyle = shade
    ctx.lineWidth = 3 * devicePixelRatio
    ctx.setLineDash(shadeDashes[kind].map((px) => px * devicePixelRatio))
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(right, bbox.top)
    ctx.stroke()
  }
  ctx.restore()
}

function drawThreshold(chart: uPlot, thresholdMs: number | null, colour: (name: string) => string): void {
  if (thresholdMs === null) return
  const { ctx, bbox } = chart
  const y = chart.valToPos(thresholdMs, 'y', true)
  if (y < bbox.top) return
  ctx.save()
  ctx.strokeStyle = colour('degraded')
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.restore()
}
