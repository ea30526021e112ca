import { Ellipsis, Wrench } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { duration, milliseconds, percent } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { LabelChips } from '../../ui/label-chips.tsx'
import { StateLabel } from '../../ui/state.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { FlappingTag } from './flapping.tsx'
import { HourBars } from './hour-bars.tsx'
import { MutedTag } from './mute.tsx'
import { typeForms, typeLabel } from './types.ts'

export type ListedMonitor = PublicSchemas['ListedMonitor']

/**
 * A card in narrow lists, a line of a table in wide ones: the same cells in another layout. By the width of the list, not of
 * the window, because the sidebar takes its part.
 */
export const areas =
  "[grid-template-areas:'check_name_uptime_menu'_'check_state_bars_bars'] grid-cols-[auto_minmax(0,1fr)_auto_2rem] " +
  "@min-[700px]:[grid-template-areas:'check_state_name_bars_uptime_menu'] " +
  '@min-[700px]:grid-cols-[1.5rem_12rem_minmax(0,1fr)_8rem_4.5rem_2.5rem] ' +
  "@min-[900px]:[grid-template-areas:'check_state_name_bars_uptime_last_checked_menu'] " +
  '@min-[900px]:grid-cols-[1.5rem_13rem_minmax(0,1fr)_11rem_4.5rem_5rem_6rem_2.5rem] ' +
  "@min-[1300px]:[grid-template-areas:'check_state_name_type_bars_uptime_last_checked_menu'] " +
  '@min-[1300px]:grid-cols-[1.5rem_22rem_minmax(0,1fr)_6rem_24rem_5rem_5.75rem_7.5rem_2.5rem]'

interface ListRowProps {
  readonly monitor: ListedMonitor
  readonly isGone: boolean
  /** Undefined where nothing can be selected. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (isSelected: boolean) => void
  /** Undefined where there are no actions. */
  readonly onMenu: ((opener: HTMLElement) => void) | undefined
  readonly onLabel: (key: string, value: string) => void
}

export function ListRow({ monitor, isGone, isSelected, onSelect, onMenu, onLabel }: ListRowProps) {
  const { id, name, type, hours, uptime30d, lastResponseMs, lastCheckedAt } = monitor
  return (
    <tr
      data-id={id}
      class={`relative grid items-center gap-x-3 gap-y-0.5 border-t border-line px-4 py-2 @min-[700px]:h-[54px] @min-[700px]:py-0 ${areas} ${isGone ? 'opacity-60' : ''} ${isSelected ? 'bg-accent-soft' : 'hover:bg-ground'}`}
    >
      {isSelected === undefined ? (
        <td class="[grid-area:check]" />
      ) : (
        <SelectCell name={name} isSelected={isSelected} onSelect={onSelect} />
      )}
      <td class="min-w-0 [grid-area:state]">
        {isGone ? <span class="text-muted">{t('Changed')}</span> : <State {...monitor} />}
      </td>
      <NameCell {...monitor} onLabel={onLabel} />
      <td class="hidden text-muted [grid-area:type] @min-[1300px]:block">{typeLabel(type)}</td>
      <td class="[grid-area:bars]">
        <HourBars hours={hours} />
      </td>
      <td class="text-end [grid-area:uptime]">
        <span class="sr-only">{t('30-day uptime')} </span>
        {percent(uptime30d)}
      </td>
      <td class="hidden text-end whitespace-nowrap text-muted [grid-area:last] @min-[900px]:block">
        {milliseconds(lastResponseMs)}
      </td>
      <td class="hidden text-end whitespace-nowrap text-muted [grid-area:checked] @min-[900px]:block">
        {lastCheckedAt === null ? '–' : <RelativeTime at={lastCheckedAt} />}
      </td>
      {onMenu !== undefined && (
        <td class="relative -my-2 -me-2 [grid-area:menu]">
          <Button
            look="quiet"
            aria-label={t('Actions for {name}', { name })}
            aria-haspopup="true"
            onClick={(event) => onMenu(event.currentTarget)}
            icon={<Ellipsis />}
          />
        </td>
      )}
    </tr>
  )
}

function SelectCell(props: { name: string; isSelected: boolean; onSelect: (isSelected: boolean) => void }) {
  const { name, isSelected, onSelect } = props
  return (
    <td class="relative z-1 self-start [grid-area:check] @min-[700px]:self-center">
      <label class="-m-2 flex cursor-pointer items-center p-2">
        <span class="sr-only">{tx('Select {name}', { name })}</span>
        <input
          type="checkbox"
          class="size-4 accent-accent"
          checked={isSelected}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
      </label>
    </td>
  )
}

/** State, for how long, and why. One line in narrow lists. */
function State(monitor: ListedMonitor) {
  const now = useNow()
  const { id, state, inMaintenance, lastStatusChangedAt: since } = monitor
  const cause = causeOf(monitor)
  return (
    <div class="flex min-w-0 items-center gap-x-2 @min-[700px]:block">
      <p class="flex shrink-0 items-center gap-1.5 whitespace-nowrap">
        <StateLabel state={state} />
        {since !== null && <span class="text-muted">{duration((now - new Date(since).getTime()) / 1000)}</span>}
        <FlappingTag monitorId={id} changedAt={since} />
        <MutedTag monitorId={id} short />
      </p>
      {inMaintenance ? (
        <p class="truncate text-xs text-maintenance-text">
          <Wrench size={12} class="me-1 inline" />
          {stateLabels.MAINTENANCE}
        </p>
      ) : (
        cause !== null && <p class="truncate text-xs text-muted">{cause}</p>
      )}
    </div>
  )
}

function causeOf(monitor: ListedMonitor): string | null {
  const { state, type } = monitor
  if (state === 'DEGRADED') return typeForms[type].expires ? t('Expires soon') : t('Slow responses')
  return sentenceOf(monitor, 'cause')
}

type NameCellProps = ListedMonitor & Pick<ListRowProps, 'onLabel'>

/** The link covers the whole row, so that a click beside the name opens it, too. Its tooltip has what the row cuts off. */
function NameCell(monitor: NameCellProps) {
  const { id, name, type, target, labels, onLabel } = monitor
  return (
    <td class="min-w-0 [grid-area:name]">
      <Link
        href={`/monitors/${id}`}
        data-row
        class="block truncate leading-[24px] font-medium after:absolute after:inset-0 hover:underline"
        title={[name, target, causeOf(monitor)].filter(Boolean).join('\n')}
      >
        {name}
      </Link>
      {/* 24 px: the least distance between targets. */}
      <div class="hidden h-[24px] min-w-0 items-center gap-2 text-xs text-muted @min-[700px]:flex">
        <p class="min-w-0 truncate">
          <span class="@min-[1300px]:hidden">
            {typeLabel(type)}
            {target === null ? '' : ' · '}
          </span>
          {target ?? <span class="hidden @min-[1300px]:inline">{t('Heartbeat')}</span>}
        </p>
        {/* Half of the line, or what the target leaves. */}
        <div class="relative max-w-1/2 shrink-0">
          <LabelChips labels={labels} onChoose={onLabel} inRow />
        </div>
      </div>
    </td>
  )
}
