import { useEffect, useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type Goal, useGoals } from './palette-goals.tsx'

/** Command palette: opens a screen, a setting, a monitor, a status page or an incident, or runs an action, by part of its name. */
export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState('')
  /** Undefined: the first. An id, so that results that come later do not move the selection. */
  const [chosen, setChosen] = useState<string>()
  const change = (next: string) => {
    setText(next)
    setChosen(undefined)
  }
  const { goals, isLoading } = useGoals({ text, onText: change, onClose, onHelp })
  const at = Math.max(
    0,
    goals.findIndex(({ id }) => id === chosen),
  )
  const current = goals[at]
  // The focus stays in the field, so the selected entry must be scrolled into view.
  useEffect(() => document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' }), [current?.id])
  const press = (event: KeyboardEvent) => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 }[event.key]
    if (next !== undefined) setChosen(goals[wrapped(next, goals.length, event.key)]?.id)
    else if (event.key === 'Enter' && !event.isComposing) current?.go()
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t('Go to')} onClose={onClose} top>
      <input
        class="input"
        // Focuses the field when the palette opens.
        autoFocus
        type="text"
        role="combobox"
        aria-label={t('Screen, monitor or action')}
        aria-expanded={goals.length > 0}
        aria-controls="palette-goals"
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : optionId(current)}
        placeholder={t('Search screens, monitors and actions')}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={press}
      />
      {/* The height is fixed, so that nothing moves when results come. */}
      <div class="mt-2 h-[min(24rem,55dvh)] overflow-y-auto">
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
        {goals.length === 0 && (
          <p class="px-3 py-2 text-muted" aria-hidden="true">
            {isLoading ? t('Searching…') : t('No results')}
          </p>
        )}
      </div>
      <p role="status" class="sr-only">
        {isLoading ? '' : goals.length === 0 ? t('No results') : t('{length} results', { length: goals.length })}
      </p>
      <p class="mt-2 border-t border-line pt-2 text-xs text-muted max-sm:hidden" aria-hidden="true">
        {t('↑ ↓ to move · Enter to open · Esc to close')}
      </p>
    </Dialog>
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

function optionId(goal: Goal | undefined): string {
  return `palette-${(goal?.id ?? '').replaceAll(/[^\w-]/g, '-')}`
}

/** Single steps go round, pages stop at the ends. */
function wrapped(index: number, count: number, key: string): number {
  if (count === 0) return 0
  return key.startsWith('Arrow') ? (index + count) % count : Math.max(0, Math.min(count - 1, index))
}
