import type { PublicSchemas } from '../../api/client.ts'
import { dayAndTime, dayOf, duration, localZone, milliseconds, percent } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'

/** The points of the chart, newest first. */
export function PointsTable({ series: { points, stepSeconds } }: { series: PublicSchemas['ResponseTimes'] }) {
  const hasUnknown = points.some(({ unknownMs }) => unknownMs > 0)
  // There is no room for all columns on phones.
  const narrowClass = hasUnknown ? '@max-md:hidden' : ''
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <div class="@container max-h-96 overflow-auto" tabIndex={0}>
      <table class="table whitespace-nowrap @max-2xl:[&_:is(td,th)]:px-1.5">
        <caption class="pb-1 text-end text-xs text-muted">
          <span class="sr-only">{t('Response times and uptime, newest first')}. </span>
          {tx('Times in {localZone}', { localZone })}
        </caption>
        <thead>
          <tr>
            <th scope="col">{stepSeconds < 3_600 ? t('Time') : stepSeconds < 86_400 ? t('Hour') : t('Day')}</th>
            <th scope="col">{t('Median')}</th>
            <th scope="col" class={narrowClass}>
              p95
            </th>
            <th scope="col">{t('Uptime')}</th>
            <th scope="col" class="@max-md:hidden">
              {t('Checks')}
            </th>
            <th scope="col" class={narrowClass}>
              {t('Failed')}
            </th>
            {hasUnknown && <th scope="col">{t('Not monitored')}</th>}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.startAt}>
              <th scope="row" class="border-t border-line text-sm font-normal text-ink">
                {stepSeconds < 86_400 ? dayAndTime(point.startAt) : dayOf(point.startAt)}
              </th>
              <td>{milliseconds(point.p50Ms)}</td>
              <td class={narrowClass}>{milliseconds(point.p95Ms)}</td>
              <td>{percent(point.uptime)}</td>
              <td class="@max-md:hidden">{point.checks}</td>
              <td class={narrowClass}>{point.failures}</td>
              {hasUnknown && <td>{point.unknownMs > 0 ? duration(point.unknownMs / 1000) : '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
