import { lazy, Suspense } from 'preact/compat'
import { useRef, useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { Dialog } from '../ui/dialog.tsx'

const loadResults = () => import('./palette-results.tsx')
const PaletteResults = lazy(loadResults)

/** Loads the results before somebody needs them. A failed import is tried again when the palette opens. */
export function preloadPalette(): void {
  void loadResults().catch(() => {})
}

/**
 * Command palette: opens a screen, a setting, a monitor, a status page or an incident, or runs an action, by part of its name. The
 * field opens at once, so that what is typed goes into it and not to the keys of the screen behind; the results are a chunk of their own.
 */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState('')
  /** The id of the selected option; undefined without results. */
  const [option, setOption] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog title={t('Go to')} onClose={onClose} top>
      <input
        ref={field}
        class="input"
        // Focuses the field when the palette opens.
        autoFocus
        type="text"
        role="combobox"
        aria-label={t('Screen, monitor or action')}
        aria-expanded={option !== undefined}
        aria-controls="palette-goals"
        aria-autocomplete="list"
        aria-activedescendant={option}
        placeholder={t('Search screens, monitors and actions')}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {/* The height is fixed, so that nothing moves when results come. */}
      <div class="mt-2 h-[min(24rem,55dvh)] overflow-y-auto">
        <Suspense
          fallback={
            <div id="palette-goals" role="listbox" aria-label={t('Results')} aria-busy="true">
              <p class="px-3 py-2 text-muted">{t('Loading')}</p>
            </div>
          }
        >
          <PaletteResults
            field={field}
            text={text}
            onText={setText}
            onOption={setOption}
            onClose={onClose}
            onHelp={onHelp}
          />
        </Suspense>
      </div>
      <p class="mt-2 border-t border-line pt-2 text-xs text-muted max-sm:hidden" aria-hidden="true">
        {t('↑ ↓ to move · Enter to open · Esc to close')}
      </p>
    </Dialog>
  )
}
