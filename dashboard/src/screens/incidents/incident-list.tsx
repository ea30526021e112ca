import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { duration, shortTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { useRowKeys, useShortcuts } from '../../lib/shortcuts.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { LabelledShape, StateLabel, StateShape } from '../../ui/state.tsx'
import { Acknowledge, acknowledgedBy, useAcknowledgeAll, useAcknowledgedBy } from '../monitors/acknowledge.tsx'
import { FlappingTag } from '../monitors/flapping.tsx'
import { useIncidentReasons } from '../monitors/incident-reasons.ts'
import { MutedTag } from '../monitors/mute.tsx'

/** Incidents; j and k move the focus, a acknowledges. */
export function IncidentList({
  incidents,
  isOld = false,
  isSelectable = false,
  counts,
}: {
  incidents: readonly PublicSchemas['Incident'][]
  isOld?: boolean
  /** Whether several can be acknowledged at once. */
  isSelectable?: boolean
  /** How many incidents of its monitor each stands for, by its id. */
  counts?: ReadonlyMap<string, number>
}) {
  const list = useRef<HTMLUListElement>(null)
  const by = useAcknowledgedBy(incidents)
  const reasonOf = useIncidentReasons(incidents)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const open = incidents.filter(({ resolvedAt, acknowledged }) => resolvedAt === null && !acknowledged)
  const canSelect = isSelectable && open.length > 1
  const select = (id: string, isSelected: boolean) =>
    setChosen(isSelected ? new Set([...chosen, id]) : new Set([...chosen].filter((other) => other !== id)))
  useRowKeys(list)
  useShortcuts({
    a: () => document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-acknowledge]')?.click(),
  })
  return (
    <>
      {canSelect && <AcknowledgeSelected open={open} chosen={chosen} onChosen={(ids) => setChosen(new Set(ids))} />}
      <ul ref={list} class={`card @container divide-y divide-line ${isOld ? 'opacity-60' : ''}`}>
        {incidents.map((incident) => (
          <IncidentRow
            key={incident.id}
            incident={incident}
            reason={reasonOf(incident)}
            by={by.get(incident.id)}
            count={counts?.get(incident.id) ?? 1}
            isSelected={canSelect && open.includes(incident) ? chosen.has(incident.id) : undefined}
            onSelect={(isSelected) => select(incident.id, isSelected)}
          />
        ))}
      </ul>
    </>
  )
}

interface IncidentRowProps {
  readonly incident: PublicSchemas['Incident']
  readonly reason: string
  /** Who acknowledged it, if that is known. */
  readonly by: string | undefined
  readonly count: number
  /** Undefined where it cannot be selected. */
  readonly isSelected?: boolean | undefined
  readonly onSelect?: (isSelected: boolean) => void
}

/** An incident in a list: monitor, reason, start, acknowledgement. */
function IncidentRow({ incident, reason, by, count, isSelected, onSelect }: IncidentRowProps) {
  const now = useNow()
  const { id, monitor, startedAt, resolvedAt, durationSec, acknowledged } = incident
  const lasted = durationSec ?? (now - new Date(startedAt).getTime()) / 1000
  return (
    <li
      class={`relative grid h-[64px] items-center gap-x-4 px-4 hover:bg-ground @2xl:grid-cols-[auto_minmax(0,1fr)_auto_auto] ${isSelected === undefined ? 'grid-cols-[minmax(0,1fr)_auto]' : 'grid-cols-[auto_minmax(0,1fr)_auto]'}`}
    >
      <div class={`items-center gap-3 @2xl:flex @2xl:min-w-26 ${isSelected === undefined ? 'hidden' : 'flex'}`}>
        {isSelected !== undefined && (
          <input
            type="checkbox"
            class="relative size-4 accent-accent"
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
          <Link
            href={`/incidents/${id}`}
            data-row
            class="truncate font-medium after:absolute after:inset-0 hover:underline"
            title={`${monitor.name}\n${reason}`}
          >
            {monitor.name}
          </Link>
          {count > 1 && (
            <span class="shrink-0 text-muted" title={plural(count, 'incident')}>
              × {count}
            </span>
          )}
          <FlappingTag monitorId={monitor.id} changedAt={resolvedAt ?? startedAt} />
          {resolvedAt === null && <MutedTag monitorId={monitor.id} short />}
        </p>
        <p class="truncate text-muted">
          <span class="@2xl:hidden">{duration(lasted)} · </span>
          {reason}
        </p>
      </div>
      <p class="hidden text-end whitespace-nowrap @2xl:block">
        {duration(lasted)}
        <span class="block text-xs text-muted">{shortTime(startedAt)}</span>
      </p>
      <div class="relative text-end empty:hidden @2xl:min-w-36">
        {acknowledged ? (
          <span class="text-muted">{acknowledgedBy(by)}</span>
        ) : (
          resolvedAt === null && <Acknowledge id={id} name={monitor.name} />
        )}
      </div>
    </li>
  )
}

interface AcknowledgeSelectedProps {
  /** Those that are not acknowledged yet. */
  readonly open: readonly PublicSchemas['Incident'][]
  readonly chosen: ReadonlySet<string>
  readonly onChosen: (ids: readonly string[]) => void
}

/** Acknowledges the selected incidents of a list. */
function AcknowledgeSelected({ open, chosen, onChosen }: AcknowledgeSelectedProps) {
  const acknowledgeAll = useAcknowledgeAll()
  const doing = useRunningAction()
  const selected = open.filter(({ id }) => chosen.has(id))
  return (
    <div class="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <label class="flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          class="size-4 accent-accent"
          checked={selected.length === open.length}
          onChange={(event) => onChosen(event.currentTarget.checked ? open.map(({ id }) => id) : [])}
        />
        {t('Select all')}
      </label>
      {selected.length > 0 && (
        <Button
          busy={doing.busy !== null}
          onClick={() => void doing.run('acknowledge', () => acknowledgeAll(selected).then(() => onChosen([])))}
        >
          {t('Acknowledge {count}', { count: plural(selected.length, 'incident') })}
        </Button>
      )}
      {doing.problem !== undefined && (
        <p role="alert" class="text-down-text">
          {(doing.problem as Error).message}
        </p>
      )}
    </div>
  )
}
