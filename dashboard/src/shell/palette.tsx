import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { unwrap } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { StateShape } from '../ui/state.tsx'
import { navigationItems } from './navigation.ts'

interface Goal {
  readonly name: string
  readonly note?: string
  readonly mark?: preact.JSX.Element
  readonly go: () => void
}

/** Command palette: opens a screen, a monitor or an action by part of its name. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { app, key, may } = useOrganization()
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const wanted = text.trim().toLowerCase()
  const found = useQuery({
    queryKey: key('monitor', 'palette', wanted),
    queryFn: () => unwrap(app.GET('/app/api/monitors', { params: { query: { q: wanted, limit: 8 } } })),
    enabled: wanted !== '',
    placeholderData: keepPreviousData,
  })
  const to = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const screens: readonly Goal[] = [
    ...navigationItems.map(({ name, path }) => ({ name, go: to(path) })),
    ...(may('MEMBER')
      ? [
          { name: 'New monitor', go: to('/monitors/new') },
          { name: 'Schedule maintenance', go: to('/maintenance/new') },
          { name: 'Publish incident', go: to('/published/new') },
        ]
      : []),
    { name: 'Your account', go: to('/settings/account') },
    { name: 'Keyboard shortcuts', go: onHelp },
  ]
  const monitors = wanted === '' ? [] : (found.data?.data ?? [])
  const goals: readonly Goal[] = [
    ...screens.filter(({ name }) => name.toLowerCase().includes(wanted)),
    ...monitors.map((monitor) => ({
      name: monitor.name,
      note: monitor.type,
      mark: <StateShape state={monitor.state} />,
      go: to(`/monitors/${monitor.id}`),
    })),
  ]
  const at = Math.min(chosen, Math.max(0, goals.length - 1))
  // The focus stays in the field, so the selected entry must be scrolled into view.
  useEffect(() => document.getElementById(`palette-goal-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setChosen((at + step + goals.length) % Math.max(1, goals.length))
    else if (event.key === 'Enter') goals[at]?.go()
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="input"
        // Focuses the field when the palette opens.
        autoFocus
        role="combobox"
        aria-label="Screen, monitor or action"
        aria-expanded={goals.length > 0}
        aria-controls="palette-goals"
        aria-activedescendant={goals.length === 0 ? undefined : `palette-goal-${at}`}
        placeholder="Search screens, monitors and actions"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <div id="palette-goals" role="listbox" aria-label="Results" class="mt-2 max-h-96 overflow-y-auto">
        {goals.map((goal, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <div
            key={i}
            id={`palette-goal-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={goal.go}
            class={`touch flex cursor-pointer items-center gap-2 rounded px-3 py-1.5 ${i === at ? 'bg-accent-soft' : 'hover:bg-ground'}`}
          >
            {goal.mark}
            <span class="min-w-0 grow">{goal.name}</span>
            {goal.note && <span class="text-xs text-muted">{goal.note}</span>}
          </div>
        ))}
      </div>
      {goals.length === 0 && (
        <p role="status" class="px-3 py-2 text-muted">
          No results
        </p>
      )}
    </Dialog>
  )
}
