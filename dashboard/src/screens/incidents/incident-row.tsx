import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { duration, shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { Acknowledge } from '../monitors/acknowledge.tsx'
import { acknowledgedBy } from '../monitors/acknowledged-by.tsx'
import { MutedTag } from '../monitors/mute.tsx'

interface IncidentRowProps {
  readonly incident: PublicSchemas['Incident']
  /** Who acknowledged it, if that is known. */
  readonly by: string | undefined
  /** Undefined where it cannot be selected. */
  readonly isSelected?: boolean | undefined
  readonly onSelect?: (isSelected: boolean) => void
}

/** An incident in a list: monitor, cause, start, acknowledgement. */
export function IncidentRow({ incident, by, isSelected, onSelect }: IncidentRowProps) {
  const now = useNow()
  const { id, monitor, startedAt, resolvedAt, durationSec, cause, acknowledged } = incident
  const lasted = durationSec ?? (now - new Date(startedAt).getTime()) / 1000
  return (
    <li class="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-ground @2xl:grid-cols-[6.5rem_minmax(0,1fr)_auto_auto] @2xl:items-center">
      <div class="flex items-center gap-3">
        {isSelected !== undefined && (
          <input
            type="checkbox"
            class="size-4 accent-accent"
            aria-label={t('Select {name}', { name: monitor.name })}
            checked={isSelected}
            onChange={(event) => onSelect?.(event.currentTarget.checked)}
          />
        )}
        {resolvedAt === null ? <StateLabel state="DOWN" /> : <LabelledShape look="UP" word={t('Resolved')} />}
      </div>
      <div class="min-w-0 @max-2xl:order-2 @max-2xl:col-span-2">
        <Link href={`/incidents/${id}`} data-row class="font-medium hover:underline">
          {monitor.name}
        </Link>
        <p class="line-clamp-2 text-muted">{cause ?? t('Check failed')}</p>
        {resolvedAt === null && <MutedTag monitorId={monitor.id} />}
      </div>
      <p class="text-end whitespace-nowrap @max-2xl:order-1">
        {duration(lasted)}
        <span class="text-xs text-muted @max-2xl:ms-2 @2xl:block">{shortTime(startedAt)}</span>
      </p>
      <div class="text-end @max-2xl:order-3 @max-2xl:col-span-2 @max-2xl:mt-1 @max-2xl:text-start @max-2xl:empty:hidden @2xl:min-w-36">
        {acknowledged ? (
          <span class="text-muted">{acknowledgedBy(by)}</span>
        ) : (
          resolvedAt === null && <Acknowledge id={id} name={monitor.name} />
        )}
      </div>
    </li>
  )
}
