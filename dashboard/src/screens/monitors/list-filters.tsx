import { useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { type State, StateShape, states } from '../../ui/state.tsx'
import { monitorTypes } from './types.ts'

export interface Filters {
  readonly q: string
  readonly state: string
  readonly type: string
}

interface BoardFiltersProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
}

/** Whoever types is not asked about at every letter. */
const PAUSE_MS = 150

const offered = ['DOWN', 'DEGRADED', 'PENDING', 'UP', 'PAUSED'] as const satisfies readonly State[]

export function ListFilters({ filters, onChange }: BoardFiltersProps) {
  const [text, setText] = useState(filters.q)
  useEffect(() => {
    if (text === filters.q) return
    const timer = setTimeout(() => onChange({ q: text }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, filters.q, onChange])
  // The address can change by itself: back, or a link.
  useEffect(() => setText(filters.q), [filters.q])
  return (
    <search class="mb-4 flex flex-wrap items-center gap-2">
      <input
        class="input grow basis-52 sm:max-w-72"
        type="search"
        data-filter
        aria-label="Filter by name or target"
        placeholder="Name or target  ( / )"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        class="input w-auto"
        aria-label="Filter by type"
        value={filters.type}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
      >
        <option value="">All types</option>
        {monitorTypes.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <StateFilter state={filters.state} onChange={onChange} />
    </search>
  )
}

function StateFilter({ state, onChange }: { state: string; onChange: BoardFiltersProps['onChange'] }) {
  const { app, key } = useOrganization()
  const { data } = useQuery({
    queryKey: key('monitor', 'overview'),
    queryFn: () => unwrap(app.GET('/app/api/overview')),
  })
  const chosen = state.split(',').filter((one) => one !== '')
  const toggle = (one: string) => {
    const next = chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]
    onChange({ state: next.join(',') })
  }
  return (
    <fieldset class="flex flex-wrap gap-1">
      <legend class="sr-only">Filter by status</legend>
      {offered.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={chosen.includes(one)}
          onClick={() => toggle(one)}
          class="button px-2.5 aria-pressed:border-accent aria-pressed:bg-accent-soft"
        >
          <StateShape state={one} size={10} />
          {states[one].word}
          <span class="text-muted">{data?.counts[one.toLowerCase() as 'up'] ?? ''}</span>
        </button>
      ))}
    </fieldset>
  )
}
