import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { plural, t } from '../lib/i18n.ts'
import { type Goal, useGoals } from './palette-goals.tsx'

interface PaletteResultsProps {
  /** Takes the keys. */
  readonly field: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly onText: (text: string) => void
  readonly onOption: (id: string | undefined) => void
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** The results of the palette, and the keys that choose one. */
export default function PaletteResults({ field, text, onText, onOption, onClose, onHelp }: PaletteResultsProps) {
  /** Undefined: the first. An id, so that results that come later do not move the selection. */
  const [chosen, setChosen] = useState<{ readonly text: string; readonly id: string | undefined }>()
  const { goals, isLoading } = useGoals({ text, onText, onClose, onHelp })
  const at = Math.max(
    0,
    goals.findIndex(({ id }) => chosen?.text === text && id === chosen.id),
  )
  const current = goals[at]
  const option = current && optionId(current)
  useLayoutEffect(() => onOption(option), [option])
  // The focus stays in the field, so the selected entry must be scrolled into view.
  useEffect(() => {
    if (option !== undefined) document.getElementById(option)?.scrollIntoView({ block: 'nearest' })
  }, [option])
  const press = (event: KeyboardEvent) => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 }[event.key]
    if (next !== undefined) setChosen({ text, id: goals[wrapped(next, goals.length, event.key)]?.id })
    else if (event.key === 'Enter' && !event.isComposing) current?.go()
    else return
    event.preventDefault()
  }
  useLayoutEffect(() => {
    const input = field.current
    input?.addEventListener('keydown', press)
    return () => input?.removeEventListener('keydown', press)
  })
  return (
    <>
      <div id="palette-goals" role="listbox" aria-label={t('Results')} aria-busy={isLoading}>
        {[...Map.groupBy(goals, ({ group }) => group)].map(([name, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets
          <div key={name} role="group" aria-labelledby={`palette-${name}`}>
            <div id={`palette-${name}`} class="px-3 pt-3 pb-1 text-xs font-semibold text-muted">
              {name}
            </div>
            {members.map((goal) => (
              <Option key={goal.id} goal={goal} isSelected={goal === current} />
            ))}
          </div>
        ))}
      </div>
      <p role="status" class={goals.length === 0 ? 'px-3 py-2 text-muted' : 'sr-only'}>
        {goals.length > 0
          ? isLoading
            ? ''
            : plural(goals.length, 'result')
          : isLoading
            ? t('Searching…')
            : t('No results')}
      </p>
    </>
  )
}

function Option({ goal, isSelected }: { goal: Goal; isSelected: boolean }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
    <div
      id={optionId(goal)}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={goal.go}
      class={`touch flex cursor-pointer items-center gap-2 rounded px-3 py-1.5 ${isSelected ? 'bg-accent-soft' : 'hover:bg-ground'}`}
    >
      {goal.mark}
      <span class="min-w-0 grow truncate">{goal.name}</span>
      {goal.note && <span class="max-w-32 shrink-0 truncate text-xs text-muted">{goal.note}</span>}
    </div>
  )
}

function optionId({ id }: Goal): string {
  return `palette-${id.replaceAll(/[^\w-]/g, '-')}`
}

/** Single steps go round, pages stop at the ends. */
function wrapped(index: number, count: number, key: string): number {
  if (count === 0) return 0
  return key.startsWith('Arrow') ? (index + count) % count : Math.max(0, Math.min(count - 1, index))
}
