import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { duration, listOf, percent } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

const words: Readonly<Record<string, string>> = {
  '24h': t('24 hours'),
  '7d': t('7 days'),
  '30d': t('30 days'),
  '90d': t('90 days'),
  '365d': t('365 days'),
}

/** Uptime of several spans, up to a year, with its calculation. */
export function UptimeFigures({ id }: { id: string }) {
  const uptime = useGet(['monitor', id], '/api/v1/monitors/{monitorId}/uptime', { path: { monitorId: id } })
  return (
    <Section
      title={t('Uptime')}
      actions={
        <Link href="/reports/uptime" class="link">
          {t('Monthly report')}
        </Link>
      }
    >
      <QueryResult query={uptime}>
        {({ data }) => (
          <dl class="card divide-y divide-line">
            {data.map((one) => (
              <div key={one.span} class="grid grid-cols-[1fr_auto] gap-x-3 px-4 py-2">
                <dt class="text-muted">{one.span && words[one.span]}</dt>
                <dd class="font-semibold">{percent(one.uptime)}</dd>
                <dd class="col-span-2 text-xs text-muted">{arithmetic(one)}</dd>
                <dd class="col-span-2 text-xs text-muted empty:hidden">{bounds(one)}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryResult>
    </Section>
  )
}

/** As in the monitor list and on status pages: a shorter gap is the first check or a restart. */
export const LEAST_UNKNOWN_MS = 300_000

/** What the time that was not monitored leaves open. */
function bounds({ uptime, unknownMs, uptimeAtLeast, uptimeAtMost }: PublicSchemas['Uptime']): string {
  if (uptime === null || unknownMs < LEAST_UNKNOWN_MS) return ''
  return t('Between {least} and {most} with the time not monitored.', {
    least: percent(uptimeAtLeast),
    most: percent(uptimeAtMost),
  })
}

/** "14 min down (monitored 30 d)" */
function arithmetic({ uptime, upMs, downMs, pausedMs, maintenanceMs, unknownMs }: PublicSchemas['Uptime']): string {
  if (uptime === null) return pausedMs > 0 ? t('Paused, not monitored') : t('No data yet')
  const watched = duration((upMs + downMs) / 1000)
  const sum =
    downMs === 0
      ? t('No downtime (monitored {watched})', { watched })
      : t('{duration} down (monitored {watched})', { duration: duration(downMs / 1000), watched })
  const leftOut = [
    ...(maintenanceMs > 0 ? [t('{duration} of maintenance', { duration: duration(maintenanceMs / 1000) })] : []),
    ...(pausedMs > 0 ? [t('{duration} paused', { duration: duration(pausedMs / 1000) })] : []),
    ...(unknownMs >= LEAST_UNKNOWN_MS ? [t('{duration} not monitored', { duration: duration(unknownMs / 1000) })] : []),
  ]
  return leftOut.length === 0 ? sum : t('{sum}; excludes {leftOut}', { sum, leftOut: listOf(leftOut) })
}
