import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { causeText } from '../../lib/causes.ts'
import { duration, shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import { StateLabel, StateShape } from '../../ui/state.tsx'
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
    <li
      class={`grid h-[64px] items-center gap-x-4 px-4 hover:bg-ground @2xl:grid-cols-[auto_minmax(0,1fr)_auto_auto] ${isSelected === undefined ? 'grid-cols-[minmax(0,1fr)_auto]' : 'grid-cols-[auto_minmax(0,1fr)_auto]'}`}
    >
      <div class={`items-center gap-3 @2xl:flex @2xl:min-w-26 ${isSelected === undefined ? 'hidden' : 'flex'}`}>
        {isSelected !== undefined && (
          <input
            type="checkbox"
            class="size-4 accent-accent"
            aria-label={t('Select {name}', { name: monitor.name })}
            checked={isSelected}
            onChange={(event) => onSelect?.(event.currentTarget.checked)}
          />
        )}
        <div class="hidden @2xl:block">
          {resolvedAt === null ? <StateLabel state="DOWN" /> : <LabelledShape look="UP" word={t('Resolved')} />}
        </div>
      </div>
      <div class="min-w-0">
        <p class="flex min-w-0 items-center gap-1.5">
          <span class="@2xl:hidden">
            <StateShape state={resolvedAt === null ? 'DOWN' : 'UP'} />
          </span>
          <Link href={`/incidents/${id}`} data-row class="truncate font-medium hover:underline" title={monitor.name}>
            {monitor.name}
          </Link>
          {resolvedAt === null && <MutedTag monitorId={monitor.id} />}
        </p>
        <p class="truncate text-muted" title={cause === null ? undefined : causeText(cause)}>
          <span class="@2xl:hidden">{duration(lasted)} · </span>
          {cause === null ? t('Check failed') : causeText(cause)}
        </p>
      </div>
      <p class="hidden text-end whitespace-nowrap @2xl:block">
        {duration(lasted)}
        <span class="block text-xs text-muted">{shortTime(startedAt)}</span>
      </p>
      <div class="text-end empty:hidden @2xl:min-w-36">
        {acknowledged ? (
          <span class="text-muted">{acknowledgedBy(by)}</span>
        ) : (
          resolvedAt === null && <Acknowledge id={id} name={monitor.name} />
        )}
      </div>
    </li>
  )
}
