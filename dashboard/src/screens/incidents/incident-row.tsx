import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { duration, shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { Acknowledge } from './acknowledge.tsx'

/** An incident in a list: monitor, cause, start, acknowledgement. */
export function IncidentRow({ incident }: { incident: PublicSchemas['Incident'] }) {
  const now = useNow()
  const { id, monitor, startedAt, resolvedAt, durationSec, cause, acknowledged } = incident
  const lasted = durationSec ?? (now - new Date(startedAt).getTime()) / 1000
  return (
    <li class="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-ground @2xl:grid-cols-[6.5rem_minmax(0,1fr)_auto_auto] @2xl:items-center">
      <div>{resolvedAt === null ? <StateLabel state="DOWN" /> : <LabelledShape look="UP" word={t('Resolved')} />}</div>
      <div class="min-w-0 @max-2xl:order-2 @max-2xl:col-span-2">
        <Link href={`/incidents/${id}`} data-row class="font-medium hover:underline">
          {monitor.name}
        </Link>
        <p class="line-clamp-2 text-muted">{cause ?? t('Check failed')}</p>
      </div>
      <p class="text-end whitespace-nowrap @max-2xl:order-1">
        {duration(lasted)}
        <span class="text-xs text-muted @max-2xl:ms-2 @2xl:block">{shortTime(startedAt)}</span>
      </p>
      <div class="text-end @max-2xl:order-3 @max-2xl:col-span-2 @max-2xl:mt-1 @max-2xl:text-start @max-2xl:empty:hidden @2xl:min-w-36">
        {acknowledged ? (
          <span class="text-muted">{t('Acknowledged')}</span>
        ) : (
          resolvedAt === null && <Acknowledge id={id} name={monitor.name} />
        )}
      </div>
    </li>
  )
}
