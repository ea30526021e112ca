import { Plus } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MonitorName } from '../../api/lists.ts'
import { t } from '../../lib/i18n.ts'
import { monitorTypeLabels } from '../../lib/labels.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { type DraftSection, newKey } from './draft.ts'
import { type DraggedItem, type MonitorPosition, moveMonitor, moveSection, stepMonitor } from './reorder-sections.ts'
import { SectionCard } from './section-card.tsx'

interface Props {
  readonly sections: readonly DraftSection[]
  readonly onChange: (sections: readonly DraftSection[]) => void
  readonly monitors: readonly MonitorName[]
  readonly disabled: boolean
}

const NEW_SECTION = 'new'

/** Sections and monitors, reordered by dragging or buttons. The moved item keeps the focus and is announced to screen readers. */
export function SectionsEditor({ sections, onChange, monitors, disabled }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const dragged = useRef<DraggedItem | null>(null)
  const [wantsFocus, setWantsFocus] = useState<string | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const [adding, setAdding] = useState<number | null>(null)
  useEffect(() => {
    if (wantsFocus === null) return
    if (wantsFocus === NEW_SECTION) {
      const names = root.current?.querySelectorAll<HTMLInputElement>('[data-field$=".name"] input')
      names?.[names.length - 1]?.select()
    }
    const button = root.current?.querySelector<HTMLButtonElement>(`[data-move="${wantsFocus}"]`)
    // At the first or last position the button is disabled, so the other one gets the focus.
    if (button?.disabled)
      button.parentElement?.querySelector<HTMLButtonElement>('button[data-move]:not(:disabled)')?.focus()
    else button?.focus()
    setWantsFocus(null)
  }, [wantsFocus])
  const nameOf = (id: string) => monitors.find((monitor) => monitor.id === id)?.name ?? t('Deleted monitor')
  const change = (next: readonly DraftSection[], what: string) => {
    if (next === sections) return
    onChange(next)
    setAnnouncement(what)
  }
  const step = (place: MonitorPosition, by: -1 | 1) => {
    const moved = sections[place.section]?.monitors[place.index]
    if (moved === undefined) return
    change(stepMonitor(sections, place, by), movedText(nameOf(moved.monitorId), by))
    setWantsFocus(`${moved.key}:${by}`)
  }
  const stepSection = (at: number, by: -1 | 1) => {
    const moved = sections[at] as DraftSection
    change(moveSection(sections, at, at + by), movedText(moved.name, by))
    setWantsFocus(`${moved.key}:${by}`)
  }
  const drop = (to: MonitorPosition) => {
    const held = dragged.current
    dragged.current = null
    if (held?.kind === 'section') change(moveSection(sections, held.from, to.section), t('Section moved'))
    if (held?.kind === 'monitor') change(moveMonitor(sections, held.from, to), t('Monitor moved'))
  }
  const replace = (at: number, section: DraftSection) =>
    onChange(sections.map((other, i) => (i === at ? section : other)))
  return (
    <div ref={root}>
      <FieldGroup path="sections" value={sections} class="space-y-3">
        <p class="sr-only" role="status">
          {announcement}
        </p>
        {sections.length === 0 && (
          <p class="text-muted">
            {t('No monitors yet. Add a section, for example “Website” or “API”, then add monitors to it.')}
          </p>
        )}
        {sections.length > 0 && (
          <p class="text-muted">
            {t(
              'Sections also show monitors whose labels match, including monitors labeled later. A page shows at most 1,000 entries.',
            )}
          </p>
        )}
        {sections.map((section, i) => (
          <SectionCard
            key={section.key}
            section={section}
            at={i}
            count={sections.length}
            nameOf={nameOf}
            disabled={disabled}
            onChange={(next) => replace(i, next)}
            onRemove={() => change(sections.toSpliced(i, 1), t('{name} removed', { name: section.name }))}
            onStep={(by) => stepSection(i, by)}
            onStepMonitor={(index, by) => step({ section: i, index }, by)}
            onAdd={() => setAdding(i)}
            onDrag={(held) => {
              dragged.current = held
            }}
            onDrop={drop}
          />
        ))}
        {!disabled && (
          <Button
            icon={<Plus />}
            onClick={() => {
              onChange([...sections, { key: newKey(), name: t('New section'), selector: '', monitors: [] }])
              setWantsFocus(NEW_SECTION)
            }}
          >
            {t('Add section')}
          </Button>
        )}
      </FieldGroup>
      {adding !== null && (
        <AddMonitors
          section={sections[adding] as DraftSection}
          monitors={monitors}
          onClose={() => setAdding(null)}
          onAdd={(section) => replace(adding, section)}
        />
      )}
    </div>
  )
}

interface AddProps {
  readonly section: DraftSection
  readonly monitors: readonly MonitorName[]
  readonly onAdd: (section: DraftSection) => void
  readonly onClose: () => void
}

function AddMonitors({ section, monitors, onAdd, onClose }: AddProps) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const listedIds = new Set(section.monitors.map(({ monitorId }) => monitorId))
  const add = () => {
    const added = chosen.map((monitorId) => ({ key: newKey(), monitorId, displayName: '' }))
    onAdd({ ...section, monitors: [...section.monitors, ...added] })
    onClose()
  }
  return (
    <Dialog title={t('Add monitors to {name}', { name: section.name })} onClose={onClose}>
      <CheckboxList
        label={t('Monitors')}
        options={monitors
          .filter(({ id }) => !listedIds.has(id))
          .map(({ id, name, type }) => ({ id, name, note: monitorTypeLabels[type] }))}
        value={chosen}
        onValue={setChosen}
        empty={t('All monitors are already in this section')}
      />
      <div class="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button look="primary" disabled={chosen.length === 0} onClick={add}>
          {t('Add')}
        </Button>
      </div>
    </Dialog>
  )
}

function movedText(name: string, by: number): string {
  return by === -1 ? t('{name} moved up', { name }) : t('{name} moved down', { name })
}
