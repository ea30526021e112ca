import { Link } from 'wouter-preact'
import type { AppSchemas } from '../../api/client.ts'
import { milliseconds, percent } from '../../lib/format.ts'
import { StateLabel } from '../../ui/state.tsx'
import { HourBars } from './hour-bars.tsx'
import { typeLabel } from './types.ts'

export type ListedMonitor = AppSchemas['BoardMonitor']

/** A card on phones, a line of a table on desks: the same parts, laid out anew. */
const areas =
  "[grid-template-areas:'check_name_state'_'check_bars_facts'] grid-cols-[auto_minmax(0,1fr)_auto] " +
  "lg:[grid-template-areas:'check_state_name_type_bars_uptime_last'] " +
  'lg:grid-cols-[1.5rem_7rem_minmax(0,1fr)_6rem_12rem_5rem_5rem]'

/** Names of the columns; each row says them to those who hear it. */
export function ListHeader() {
  return (
    <div
      aria-hidden="true"
      class={`hidden items-center gap-x-3 px-4 py-2 text-xs font-medium text-muted lg:grid ${areas}`}
    >
      <span class="[grid-area:state]">Status</span>
      <span class="[grid-area:name]">Name</span>
      <span class="[grid-area:type]">Type</span>
      <span class="[grid-area:bars]">Last 24 hours</span>
      <span class="text-end [grid-area:uptime]">30 days</span>
      <span class="text-end [grid-area:last]">Response</span>
    </div>
  )
}

interface BoardRowProps {
  readonly monitor: ListedMonitor
  readonly isGone: boolean
  /** Undefined where nothing can be selected. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (isSelected: boolean) => void
}

export function ListRow({ monitor, isGone, isSelected, onSelect }: BoardRowProps) {
  const { id, name, type, state, target, hours, uptime30d, lastResponseMs } = monitor
  return (
    <li
      data-id={id}
      class={`grid items-center gap-x-3 gap-y-2 border-t border-line px-4 py-3 first:border-t-0 hover:bg-ground lg:py-2 ${areas} ${isGone ? 'opacity-60' : ''} ${isSelected ? 'bg-accent-soft' : ''}`}
    >
      {isSelected !== undefined && (
        <label class="-m-2 flex cursor-pointer items-center self-start p-2 [grid-area:check] lg:self-center">
          <span class="sr-only">Select {name}</span>
          <input
            type="checkbox"
            class="size-4 accent-accent"
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </label>
      )}
      <div class="justify-self-end [grid-area:state] lg:justify-self-start">
        {isGone ? <span class="text-muted">Changed</span> : <StateLabel state={state} />}
      </div>
      <div class="min-w-0 [grid-area:name]">
        <Link href={`/monitors/${id}`} data-row class="block truncate font-medium hover:underline" title={name}>
          {name}
        </Link>
        <p class="truncate text-xs text-muted" title={target ?? undefined}>
          <span class="lg:hidden">
            {typeLabel(type)}
            {target === null ? '' : ' · '}
          </span>
          {target ?? <span class="max-lg:hidden">Heartbeat</span>}
        </p>
      </div>
      <span class="hidden text-muted [grid-area:type] lg:block">{typeLabel(type)}</span>
      <div class="[grid-area:bars]">
        <HourBars hours={hours} />
      </div>
      <dl class="flex gap-3 text-end [grid-area:facts] lg:contents">
        <div class="[grid-area:uptime]">
          <dt class="sr-only">30-day uptime</dt>
          <dd>{percent(uptime30d)}</dd>
        </div>
        <div class="[grid-area:last]">
          <dt class="sr-only">Last response</dt>
          <dd class="text-muted">{milliseconds(lastResponseMs)}</dd>
        </div>
      </dl>
    </li>
  )
}
