import { ArrowDown, ArrowUp, GripVertical, Plus, X } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { SelectorField } from '../../ui/selector-field.tsx'
import type { DraftMonitor, DraftSection } from './draft.ts'
import type { DraggedItem, MonitorPosition } from './reorder-sections.ts'

interface Props {
  readonly section: DraftSection
  readonly at: number
  readonly count: number
  readonly nameOf: (monitorId: string) => string
  readonly disabled: boolean
  readonly onChange: (section: DraftSection) => void
  readonly onRemove: () => void
  readonly onStep: (by: -1 | 1) => void
  readonly onStepMonitor: (index: number, by: -1 | 1) => void
  readonly onAdd: () => void
  readonly onDrag: (dragged: DraggedItem) => void
  readonly onDrop: (to: MonitorPosition) => void
}

export function SectionCard(props: Props) {
  const { section, at, count, disabled, nameOf, onChange, onDrag, onDrop } = props
  const end = { section: at, index: section.monitors.length }
  const change = (index: number, monitor: DraftMonitor | null) =>
    onChange({ ...section, monitors: section.monitors.toSpliced(index, 1, ...(monitor === null ? [] : [monitor])) })
  return (
    <Target place={end} onDrop={onDrop} class="overflow-hidden rounded-md border border-line bg-ground">
      <div class="flex items-end gap-1 p-3">
        {!disabled && (
          <Grip
            onDrag={() => onDrag({ kind: 'section', from: at })}
            what={t('section {name}', { name: section.name })}
          />
        )}
        <div class="min-w-0 grow">
          <TextField
            label={t('Section {value}', { value: at + 1 })}
            path={`sections.${at}.name`}
            value={section.name}
            onValue={(name) => onChange({ ...section, name })}
            required
            maxLength={120}
            disabled={disabled}
          />
        </div>
        {!disabled && (
          <MoveButtons
            id={section.key}
            what={t('section {name}', { name: section.name })}
            mayUp={at > 0}
            mayDown={at < count - 1}
            onStep={props.onStep}
            onRemove={props.onRemove}
          />
        )}
      </div>
      <ul>
        {section.monitors.map((monitor, index) => (
          <li key={monitor.key}>
            <Target
              place={{ section: at, index }}
              onDrop={onDrop}
              class="flex items-center gap-1 border-t border-line bg-surface px-3 py-2"
            >
              {!disabled && (
                <Grip
                  onDrag={() => onDrag({ kind: 'monitor', from: { section: at, index } })}
                  what={nameOf(monitor.monitorId)}
                />
              )}
              <div class="grid min-w-0 grow items-center gap-x-2 sm:grid-cols-2">
                <span class="truncate" title={nameOf(monitor.monitorId)}>
                  {nameOf(monitor.monitorId)}
                </span>
                <input
                  class="input"
                  aria-label={t('Display name of {monitorId}', { monitorId: nameOf(monitor.monitorId) })}
                  placeholder={t('Display name')}
                  maxLength={120}
                  disabled={disabled}
                  value={monitor.displayName}
                  onInput={(event) => change(index, { ...monitor, displayName: event.currentTarget.value })}
                />
              </div>
              {!disabled && (
                <MoveButtons
                  id={monitor.key}
                  what={nameOf(monitor.monitorId)}
                  mayUp={index > 0 || at > 0}
                  mayDown={index < section.monitors.length - 1 || at < count - 1}
                  onStep={(by) => props.onStepMonitor(index, by)}
                  onRemove={() => change(index, null)}
                />
              )}
            </Target>
          </li>
        ))}
      </ul>
      <div class="border-t border-line px-3 py-2">
        <SelectorField
          label={t('Add by label')}
          path={`sections.${at}.selector`}
          value={section.selector}
          onValue={(selector) => onChange({ ...section, selector })}
          disabled={disabled}
        />
      </div>
      {!disabled && (
        <div class="border-t border-line px-3 py-1">
          <Button look="quiet" icon={<Plus />} onClick={props.onAdd}>
            {t('Add monitors')}
          </Button>
        </div>
      )}
    </Target>
  )
}

interface TargetProps {
  readonly place: MonitorPosition
  readonly onDrop: (to: MonitorPosition) => void
  readonly class: string
  readonly children: preact.ComponentChildren
}

/** Drop target; the innermost one handles the drop. */
function Target({ place, onDrop, class: className, children }: TargetProps) {
  const [isOver, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same without dragging
    <div
      class={`${className} ${isOver ? 'outline-2 -outline-offset-2 outline-accent outline-dashed' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        event.stopPropagation()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        setOver(false)
        onDrop(place)
      }}
    >
      {children}
    </div>
  )
}

function Grip({ onDrag, what }: { onDrag: () => void; what: string }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same without dragging
    <span
      draggable
      title={t('Drag {what}', { what })}
      data-grip={what}
      class="hidden h-9 cursor-grab items-center text-muted md:flex"
      onDragStart={(event) => {
        event.stopPropagation()
        event.dataTransfer?.setData('text/plain', what)
        onDrag()
      }}
    >
      <GripVertical />
    </span>
  )
}

interface MoveButtonsProps {
  readonly id: string
  readonly what: string
  readonly mayUp: boolean
  readonly mayDown: boolean
  readonly onStep: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function MoveButtons({ id, what, mayUp, mayDown, onStep, onRemove }: MoveButtonsProps) {
  return (
    <div class="flex shrink-0">
      <Button
        look="quiet"
        data-move={`${id}:-1`}
        aria-label={t('Move {what} up', { what })}
        disabled={!mayUp}
        onClick={() => onStep(-1)}
        icon={<ArrowUp />}
      />
      <Button
        look="quiet"
        data-move={`${id}:1`}
        aria-label={t('Move {what} down', { what })}
        disabled={!mayDown}
        onClick={() => onStep(1)}
        icon={<ArrowDown />}
      />
      <Button look="quiet" aria-label={t('Remove {what}', { what })} onClick={onRemove} icon={<X />} />
    </div>
  )
}
