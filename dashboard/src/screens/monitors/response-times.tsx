import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { lazy, Suspense } from 'preact/compat'
import { useMemo, useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayOf, duration, localZone, milliseconds, percent, shortTime } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { type ChartRange, edgesOf, RangeChoice, rangeQuery, spanLabel, useChartRange } from './chart-range.tsx'
import { CompareChoice, compareLooks, useCompared } from './compare-monitors.tsx'
import { PointsTable } from './points-table.tsx'
import type { Shade } from './response-chart.tsx'
import { LEAST_UNKNOWN_MS } from './uptime-figures.tsx'

const Chart = lazy(() => import('./response-chart.tsx'))

/** What the checks of each type measure; types without a duration have no chart. */
const titles: Readonly<Partial<Record<PublicSchemas['Monitor']['type'], string>>> = {
  HTTP: t('Response times'),
  KEYWORD: t('Response times'),
  PING: t('Round-trip times'),
  PORT: t('Connection times'),
  DNS: t('Lookup times'),
  CRON: t('Run duration'),
}

interface ResponseTimesProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly incidents: readonly PublicSchemas['Incident'][]
}

/** Response times as chart or table; the period is in the URL. */
export function ResponseTimes({ monitor, incidents }: ResponseTimesProps) {
  const { api, key } = useOrganization()
  const [search, change] = useSearchState()
  const [range, setRange] = useChartRange()
  const compared = useCompared(monitor.id, range)
  const isTable = search.get('view') === 'table'
  const series = useQuery({
    queryKey: key('monitor', monitor.id, 'series', JSON.stringify(range)),
    queryFn: () =>
      api.GET('/api/v1/monitors/{monitorId}/response-times', {
        path: { monitorId: monitor.id },
        query: rangeQuery(range),
      }),
    placeholderData: keepPreviousData,
    enabled: titles[monitor.type] !== undefined,
  })
  const title = titles[monitor.type]
  // A job that sends no start signals has no durations.
  const hasNone =
    monitor.type === 'CRON' &&
    range.span === '24h' &&
    (series.data?.points.every(({ p50Ms }) => p50Ms === null) ?? true)
  if (title === undefined || hasNone) return null
  return (
    <Section
      title={title}
      actions={
        <div class="flex flex-wrap gap-2">
          <SegmentedControl
            label={t('Show as')}
            value={isTable ? 'table' : 'chart'}
            choices={choicesOf({ chart: t('Chart'), table: t('Table') })}
            onValue={(view) => change({ view: view === 'table' ? view : null })}
          />
          <RangeChoice range={range} onRange={setRange} />
        </div>
      }
    >
      <div class="card p-4">
        <QueryResult query={series} skeleton={<div class="skeleton h-55" />}>
          {(data) =>
            data.points.every(({ checks, unknownMs }) => checks === 0 && unknownMs === 0) ? (
              <p class="py-16 text-center text-muted">{t('No data in this time range.')}</p>
            ) : isTable ? (
              <PointsTable series={data} />
            ) : (
              <>
                <PointsChart
                  series={data}
                  monitor={monitor}
                  incidents={incidents}
                  range={range}
                  others={compared.others}
                  onRange={setRange}
                />
                <CompareChoice own={monitor.id} {...compared} />
              </>
            )
          }
        </QueryResult>
      </div>
    </Section>
  )
}

interface PointsChartProps extends ResponseTimesProps {
  readonly series: PublicSchemas['ResponseTimes']
  readonly range: ChartRange
  readonly others: ReturnType<typeof useCompared>['others']
  readonly onRange: (range: ChartRange) => void
}

function PointsChart({ series, monitor, incidents, range, others, onRange }: PointsChartProps) {
  const [index, setIndex] = useState<number | null>(null)
  const pointsOfOthers = JSON.stringify(others.map(({ points }) => points))
  const chart = useMemo(
    () => chartOf(series, range, others),
    [series, range.span, range.from, range.to, pointsOfOthers],
  )
  const shades = useMemo(() => shadesOf(series, incidents), [series, incidents])
  const point = index === null ? undefined : chart.points[index]
  const when = (at: string) => (series.stepSeconds < 86_400 ? shortTime(at) : dayOf(at))
  const label = inWords(series, range)
  const zoom = (from: number, to: number) =>
    onRange({ span: null, from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString() })
  return (
    <>
      <Suspense fallback={<div class="h-55" />}>
        <Chart
          key={others.length}
          {...chart}
          shades={shades}
          thresholdMs={monitor.degradedThresholdMs}
          label={label}
          onPoint={setIndex}
          onZoom={zoom}
        />
      </Suspense>
      <p class="mt-3 min-h-6">
        {point === undefined
          ? label
          : t('{startAt}: median {p50Ms}, p95 {p95Ms}, ', {
              startAt: when(point.startAt),
              p50Ms: milliseconds(point.p50Ms),
              p95Ms: milliseconds(point.p95Ms),
            }) +
            t('uptime {uptime}.', { uptime: percent(point.uptime) }) +
            (point.unknownMs > 0
              ? ` ${t('Not monitored: {duration}.', { duration: duration(point.unknownMs / 1000) })}`
              : '')}
      </p>
      <Legend
        hasThreshold={monitor.degradedThresholdMs !== null}
        shades={shades}
        names={others.length === 0 ? [] : [monitor.name, ...others.map(({ name }) => name)]}
      />
    </>
  )
}

type Point = PublicSchemas['ResponseTimePoint']

/** Every step of the range, so that missing data is a gap and not a straight line. */
function chartOf(
  { points, stepSeconds }: PublicSchemas['ResponseTimes'],
  range: ChartRange,
  others: PointsChartProps['others'],
) {
  const [start, until] = edgesOf(range)
  const first = Math.floor(start / stepSeconds) * stepSeconds + (range.span === null ? 0 : stepSeconds)
  const times = Array.from(
    { length: Math.max(1, Math.ceil((until - first) / stepSeconds)) },
    (_, i) => first + i * stepSeconds,
  )
  const atTimes = (list: readonly Point[]) => {
    const known = new Map(list.map((point) => [new Date(point.startAt).getTime() / 1000, point]))
    return times.map((time) => known.get(time))
  }
  const found = atTimes(points)
  const median = { values: found.map((point) => point?.p50Ms ?? null), colour: 'accent', isFilled: others.length === 0 }
  const p95 = { values: found.map((point) => point?.p95Ms ?? null), colour: 'ink', dash: [5, 4] }
  const compared = others.map((other, i) => {
    const { colour, dash } = compareLooks[i] as (typeof compareLooks)[number]
    return { values: atTimes(other.points).map((point) => point?.p50Ms ?? null), colour, dash }
  })
  return { times, until, points: found, lines: others.length === 0 ? [median, p95] : [median, ...compared] }
}

function shadesOf(
  { points, stepSeconds }: PublicSchemas['ResponseTimes'],
  incidents: readonly PublicSchemas['Incident'][],
): Shade[] {
  const seconds = (at: string) => new Date(at).getTime() / 1000
  const steps = (kind: Shade['kind'], isOf: (point: Point) => boolean) =>
    points.filter(isOf).map(({ startAt }): Shade => {
      return { from: seconds(startAt), to: seconds(startAt) + stepSeconds, kind }
    })
  const maintenance = steps('maintenance', ({ maintenanceMs }) => maintenanceMs > 0)
  const unknown = steps('unknown', ({ unknownMs }) => unknownMs >= Math.min(LEAST_UNKNOWN_MS, stepSeconds * 500))
  const outages = incidents.map(({ startedAt, resolvedAt }): Shade => {
    return { from: seconds(startedAt), to: resolvedAt === null ? Date.now() / 1000 : seconds(resolvedAt), kind: 'down' }
  })
  return [...unknown, ...maintenance, ...outages]
}

function inWords({ points }: PublicSchemas['ResponseTimes'], range: ChartRange): string {
  const medians = points.flatMap(({ p50Ms }) => (p50Ms === null ? [] : [p50Ms]))
  const highs = points.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]))
  const checks = points.reduce((sum, point) => sum + point.checks, 0)
  const span = spanLabel(range)
  const label = span === null ? t('This range') : t('Last {label}', { label: span })
  if (medians.length === 0)
    return t('{label}: {checks}, no response times.', { label, checks: plural(checks, 'check') })
  const sorted = medians.sort((a, b) => a - b)
  const middle = milliseconds(sorted[Math.floor(sorted.length / 2)])
  return t('{label}: median {middle} · worst p95 {milliseconds} · {checks}', {
    label,
    middle,
    milliseconds: milliseconds(Math.max(...highs)),
    checks: plural(checks, 'check'),
  })
}

/** Whole names, which Tailwind looks for. */
const strokes = ['stroke-up', 'stroke-degraded', 'stroke-maintenance', 'stroke-down'] as const

interface LegendProps {
  readonly hasThreshold: boolean
  readonly shades: readonly Shade[]
  /** Of the monitors that are compared. */
  readonly names: readonly string[]
}

function Legend({ hasThreshold, shades, names }: LegendProps) {
  const has = (kind: Shade['kind']) => shades.some((shade) => shade.kind === kind)
  return (
    <ul class="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
      <Line class="stroke-accent" words={names[0] ?? t('Median')} />
      {names.length === 0 && <Line class="stroke-ink" dash="5 4" words="p95" />}
      {names.slice(1).map((name, i) => (
        <Line key={name} class={strokes[i] ?? ''} dash={compareLooks[i]?.dash.join(' ') ?? ''} words={name} />
      ))}
      {hasThreshold && <Line class="stroke-degraded" dash="2 3" words={t('Degraded above')} />}
      {has('down') && <Block class="fill-down" words={t('Incident')} />}
      {has('maintenance') && <Block class="fill-maintenance" words={t('Maintenance')} />}
      {has('unknown') && <Block class="fill-paused" words={t('Not monitored')} isDotted />}
      <li class="ms-auto">{tx('Times in {localZone}', { localZone })}</li>
    </ul>
  )
}

function Line({ class: stroke, dash, words }: { class: string; dash?: string; words: string }) {
  return (
    <li class="flex items-center gap-1.5">
      <svg width="24" height="8" aria-hidden="true">
        <path class={stroke} d="M0 4h24" stroke-width="2" stroke-dasharray={dash} />
      </svg>
      {words}
    </li>
  )
}

function Block({ class: fill, words, isDotted = false }: { class: string; words: string; isDotted?: boolean }) {
  return (
    <li class="flex items-center gap-1.5">
      <svg width="16" height="12" aria-hidden="true">
        <path class={fill} d="M0 0h16v12H0z" opacity=".25" />
        <path class={fill} d={isDotted ? 'M1 0h2v3h-2zM7 0h2v3h-2zM13 0h2v3h-2z' : 'M0 0h16v3H0z'} />
      </svg>
      {words}
    </li>
  )
}
