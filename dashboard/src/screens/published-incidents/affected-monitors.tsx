import { useState } from 'preact/hooks'
import type { MonitorName } from '../../api/lists.ts'
import { t, tx } from '../../lib/i18n.ts'
import { FieldGroup } from '../../ui/field-group.tsx'
import { Filter } from '../../ui/filter.tsx'
import { type Affected, conditions } from './labels.tsx'

/** Longer lists get a filter. */
const MOST_SHOWN = 60

interface Props {
  readonly monitors: readonly MonitorName[]
  readonly value: readonly Affected[]
  readonly onValue: (affected: readonly Affected[]) => void
  /** Monitors of the chosen pages come after those that were affected when the form opened; null if no page is chosen. */
  readonly shown: ReadonlySet<string> | null
}

/** Affected monitors and their status. */
export function AffectedPicker({ monitors, value, onValue, shown }: Props) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const status = new Map(value.map((one) => [one.monitorId, one.status]))
  // Fixed when the form opens, so that rows do not move while they are edited.
  const [chosenFirst] = useState(() => new Set(value.map(({ monitorId }) => monitorId)))
  const rank = ({ id }: MonitorName) => (chosenFirst.has(id) ? 0 : shown?.has(id) ? 1 : 2)
  const ordered = monitors.toSorted((a, b) => rank(a) - rank(b))
  const matching = ordered.filter(({ name }) => name.toLowerCase().includes(wanted))
  const list = matching.filter(({ id: one }, i) => i < MOST_SHOWN || status.has(one))
  const change = (monitorId: string, next: string) => {
    const others = value.filter((one) => one.monitorId !== monitorId)
    onValue(next === '' ? others : [...others, { monitorId, status: next as Affected['status'] }])
  }
  return (
    <fieldset class="rounded-md border border-line">
      <legend class="ms-2 px-1 font-medium">
        {t('Affected monitors')}{' '}
        <span class="font-normal text-muted">{tx('({length} selected)', { length: value.length })}</span>
      </legend>
      <FieldGroup path="affectedMonitors" value={value} inset>
        {monitors.length > 6 && <Filter label={t('Filter monitors')} value={filter} onValue={setFilter} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
        <div class="max-h-64 overflow-y-auto py-1" tabIndex={0}>
          {list.length < matching.length && (
            <p class="px-3 py-1 text-xs text-muted">
              {tx('{value} more. Use the filter to find them.', { value: matching.length - list.length })}
            </p>
          )}
          {list.length === 0 && <p class="px-3 py-2 text-muted">{t('No monitors')}</p>}
          {list.map(({ id: monitorId, name }) => (
            <div key={monitorId} class="flex flex-wrap items-center gap-2 px-3 py-1">
              <span class="min-w-0 grow basis-40">
                {name}
                {shown?.has(monitorId) === false && (
                  <span class="text-xs text-muted"> {t('· not on these pages')}</span>
                )}
              </span>
              <select
                class="input w-40!"
                aria-label={t('Status of {name}', { name })}
                value={status.get(monitorId) ?? ''}
                onChange={(event) => change(monitorId, event.currentTarget.value)}
              >
                <option value="">{t('Not affected')}</option>
                {conditions.map((condition) => (
                  <option key={condition.value} value={condition.value}>
                    {condition.label}
                  </option>
                ))}
              </select>
            </div>
          ))}
        </div>
      </FieldGroup>
    </fieldset>
  )
}
