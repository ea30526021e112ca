import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { lazy, Suspense } from 'preact/compat'
import { useMemo, useState } from 'preact/hooks'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayAndTime, dayOf, localZone, milliseconds, percent, shortTime } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import type { Shade } from './response-chart.tsx'

const Chart = lazy(() => import('./response-chart.tsx'))

const spans = {
  '24h': { label: '24 h', seconds: 86_400 },
  '7d': { label: '7 d', seconds: 604_800 },
  '30d': { label: '30 d', seconds: 2_592_000 },
  '90d': { label: '90 d', seconds: 7_776_000 },
} as const
type Span = keyof typeof spans
const choices = (Object.keys(spans) as Span[]).map((value) => ({ value, label: spans[value].label }))

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
  const asked = search.get('span') as Span
  const span = spans[asked] === undefined ? '24h' : asked
  const isTable = search.get('view') === 'table'
  const series = useQuery({
    queryKey: key('monitor', monitor.id, 'series', span),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/monitors/{monitorId}/response-times', {
          params: { path: { monitorId: monitor.id }, query: { span } },
        }),
      ),
    placeholderData: keepPreviousData,
    enabled: titles[monitor.type] !== undefined,
  })
  const title = titles[monitor.type]
  // A job that sends no start signals has no durations.
  const hasNone = monitor.type === 'CRON' && span === '24h' && (series.data?.points.every(isWithoutDuration) ?? true)
  if (title === undefined || hasNone) return null
  return (
    <Section
      title={title}
      actions={
        <div class="flex flex-wrap gap-2">
          <SegmentedControl
            label={t('Show as')}
            value={isTable ? 'table' : 'chart'}
            choices={[
              { value: 'chart', label: t('Chart') },
              { value: 'table', label: t('Table') },
            ]}
            onValue={(view) => change({ view: view === 'table' ? view : null })}
          />
          <SegmentedControl
            label={t('Time range')}
            value={span}
            choices={choices}
            onValue={(next) => change({ span: next === '24h' ? null : next })}
          />
        </div>
      }
    >
      <div class="card p-4">
        <QueryResult query={series} skeleton={<div class="skeleton h-55" />}>
          {(data) =>
            data.points.every(({ checks }) => checks === 0) ? (
              <p class="py-16 text-center text-muted">{t('No data in this time range.')}</p>
            ) : isTable ? (
              <PointsTable series={data} />
            ) : (
              <PointsChart series={data} monitor={monitor} incidents={incidents} />
            )
          }
        </QueryResult>
      </div>
    </Section>
  )
}

function isWithoutDuration({ p50Ms }: PublicSchemas['ResponseTimePoint']): boolean {
  return p50Ms === null
}

interface PointsChartProps extends ResponseTimesProps {
  readonly series: PublicSchemas['ResponseTimes']
}

function PointsChart({ series, monitor, incidents }: PointsChartProps) {
  const [index, setIndex] = useState<number | null>(null)
  const drawn = useMemo(() => drawnOf(series), [series])
  const shades = useMemo(() => shadesOf(series, incidents), [series, incidents])
  const point = index === null ? undefined : drawn.points[index]
  const when = (at: string) => (series.stepSeconds < 86_400 ? shortTime(at) : dayOf(at))
  const label = inWords(series)
  return (
    <>
      <Suspense fallback={<div class="h-55" />}>
        <Chart {...drawn} shades={shades} thresholdMs={monitor.degradedThresholdMs} label={label} onPoint={setIndex} />
      </Suspense>
      <p class="mt-3 min-h-6">
        {point === undefined
          ? label
          : t('{startAt}: median {p50Ms}, p95 {p95Ms}, ', {
              startAt: when(point.startAt),
              p50Ms: milliseconds(point.p50Ms),
              p95Ms: milliseconds(point.p95Ms),
            }) + t('uptime {uptime}.', { uptime: percent(point.uptime) })}
      </p>
      <Legend hasThreshold={monitor.degradedThresholdMs !== null} shades={shades} />
    </>
  )
}

/** Every hour or day of the period, so that missing data is a gap and not a straight line. */
function drawnOf({ points, stepSeconds, span }: PublicSchemas['ResponseTimes']) {
  const known = new Map(points.map((point) => [new Date(point.startAt).getTime() / 1000, point]))
  const last = Math.floor(Date.now() / 1000 / stepSeconds) * stepSeconds
  const count = Math.round(spans[span as Span].seconds / stepSeconds)
  const times = Array.from({ length: count }, (_, i) => last - (count - 1 - i) * stepSeconds)
  const found = times.map((time) => known.get(time))
  return {
    times,
    p50: found.map((point) => point?.p50Ms ?? null),
    p95: found.map((point) => point?.p95Ms ?? null),
    points: found,
  }
}

function shadesOf(
  { points, stepSeconds }: PublicSchemas['ResponseTimes'],
  incidents: readonly PublicSchemas['Incident'][],
): Shade[] {
  const seconds = (at: string) => new Date(at).getTime() / 1000
  const maintenance = points
    .filter(({ maintenanceMs }) => maintenanceMs > 0)
    .map(({ startAt }): Shade => {
      return { from: seconds(startAt), to: seconds(startAt) + stepSeconds, kind: 'maintenance' }
    })
  const outages = incidents.map(({ startedAt, resolvedAt }): Shade => {
    return { from: seconds(startedAt), to: resolvedAt === null ? Date.now() / 1000 : seconds(resolvedAt), kind: 'down' }
  })
  return [...maintenance, ...outages]
}

function inWords({ points, span }: PublicSchemas['ResponseTimes']): string {
  const medians = points.flatMap(({ p50Ms }) => (p50Ms === null ? [] : [p50Ms]))
  const highs = points.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]))
  const checks = points.reduce((sum, point) => sum + point.checks, 0)
  const { label } = spans[span as Span]
  if (medians.length === 0)
    return t('Last {label}: {checks}, no response times.', { label, checks: plural(checks, 'check') })
  const sorted = medians.sort((a, b) => a - b)
  const middle = milliseconds(sorted[Math.floor(sorted.length / 2)])
  return t('Last {label}: median {middle} · worst p95 {milliseconds} · {checks}', {
    label,
    middle,
    milliseconds: milliseconds(Math.max(...highs)),
    checks: plural(checks, 'check'),
  })
}

function Legend({ hasThreshold, shades }: { hasThreshold: boolean; shades: readonly Shade[] }) {
  const has = (kind: Shade['kind']) => shades.some((shade) => shade.kind === kind)
  return (
    <ul class="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
      <Line class="stroke-accent" words={t('Median')} />
      <Line class="stroke-ink" dash="5 4" words="p95" />
      {hasThreshold && <Line class="stroke-degraded" dash="2 3" words={t('Degraded above')} />}
      {has('down') && <Block class="fill-down" words={t('Incident')} />}
      {has('maintenance') && <Block class="fill-maintenance" words={t('Maintenance')} />}
      <li class="ms-auto">{tx('Times in {localZone}', { localZone: localZone() })}</li>
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

function Block({ class: fill, words }: { class: string; words: string }) {
  return (
    <li class="flex items-center gap-1.5">
      <svg width="16" height="12" aria-hidden="true">
        <path class={fill} d="M0 0h16v12H0z" opacity=".25" />
        <path class={fill} d="M0 0h16v3H0z" />
      </svg>
      {words}
    </li>
  )
}

function PointsTable({ series: { points, stepSeconds } }: { series: PublicSchemas['ResponseTimes'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <div class="@container max-h-96 overflow-auto" tabIndex={0}>
      <table class="table whitespace-nowrap @max-2xl:[&_:is(td,th)]:px-1.5">
        <caption class="pb-1 text-end text-xs text-muted">
          <span class="sr-only">{t('Response times and uptime, newest first')}. </span>
          {tx('Times in {localZone}', { localZone: localZone() })}
        </caption>
        <thead>
          <tr>
            <th scope="col">{stepSeconds < 86_400 ? t('Hour') : t('Day')}</th>
            <th scope="col">{t('Median')}</th>
            <th scope="col">p95</th>
            <th scope="col">{t('Uptime')}</th>
            <th scope="col" class="@max-md:hidden">
              {t('Checks')}
            </th>
            <th scope="col">{t('Failed')}</th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.startAt}>
              <th scope="row" class="border-t border-line text-sm font-normal text-ink">
                {stepSeconds < 86_400 ? dayAndTime(point.startAt) : dayOf(point.startAt)}
              </th>
              <td>{milliseconds(point.p50Ms)}</td>
              <td>{milliseconds(point.p95Ms)}</td>
              <td>{percent(point.uptime)}</td>
              <td class="@max-md:hidden">{point.checks}</td>
              <td>{point.failures}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
