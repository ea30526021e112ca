import { Plus, X } from 'lucide-preact'
import { useId, useRef } from 'preact/hooks'
import { MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../../../../src/lib/selector.ts'
import { useKnownLabels, useMonitorLabels } from '../../api/labels.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import type { EditedMonitor } from './types.ts'

/** Key and value. Rows that are being typed may have the same key, or none. */
export type LabelRow = readonly [key: string, value: string]

export function rowsOf(labels: Readonly<Record<string, string>>): readonly LabelRow[] {
  return Object.entries(labels)
}

/** Without rows that have no key. */
export function labelsOf(rows: readonly LabelRow[]): Record<string, string> {
  return Object.fromEntries(rows.filter(([key]) => key !== ''))
}

function isRepeated(rows: readonly LabelRow[], i: number): boolean {
  const key = rows[i]?.[0]
  return key !== '' && rows.findIndex(([other]) => other === key) < i
}

interface LabelEditorProps {
  readonly rows: readonly LabelRow[]
  readonly onRows: (rows: readonly LabelRow[]) => void
}

/** Adds, changes and removes labels, with suggestions from the labels in use. */
export function LabelEditor({ rows, onRows }: LabelEditorProps) {
  const known = useKnownLabels()
  const id = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  const set = (i: number, row: LabelRow) => onRows(rows.map((other, at) => (at === i ? row : other)))
  const add = () => {
    onRows([...rows, ['', '']])
    setTimeout(() => [...(list.current?.querySelectorAll<HTMLInputElement>('[data-key]') ?? [])].at(-1)?.focus())
  }
  return (
    <fieldset ref={list}>
      <legend class="mb-1 font-medium">{t('Labels')}</legend>
      <FieldGroup path="labels" value={rows}>
        <datalist id={`${id}-keys`}>
          {known.map(({ label }) => (
            <option key={label} value={label} />
          ))}
        </datalist>
        {rows.length > 0 && (
          <ul class="mb-2 space-y-2">
            {rows.map(([key, value], i) => (
              <li key={i} class="flex items-center gap-2">
                <input
                  class="input min-w-0 flex-1"
                  data-key
                  aria-label={t('Key of label {number}', { number: i + 1 })}
                  placeholder={t('Key')}
                  list={`${id}-keys`}
                  pattern="[a-z][a-z0-9_\-]{0,31}"
                  title={t('Starts with a small letter, then small letters, digits, _ or -; at most 32 characters')}
                  required={value !== ''}
                  autocomplete="off"
                  value={key}
                  ref={(input) =>
                    input?.setCustomValidity(isRepeated(rows, i) ? t('This key is used above. Use each key once.') : '')
                  }
                  onInput={(event) => set(i, [event.currentTarget.value, value])}
                />
                <input
                  class="input min-w-0 flex-1"
                  aria-label={t('Value of label {number}', { number: i + 1 })}
                  placeholder={t('Value')}
                  list={`${id}-values-${i}`}
                  maxLength={MAX_LABEL_VALUE_CHARS}
                  autocomplete="off"
                  value={value}
                  onInput={(event) => set(i, [key, event.currentTarget.value])}
                />
                <datalist id={`${id}-values-${i}`}>
                  {known
                    .find(({ label }) => label === key)
                    ?.values.map((one) => (
                      <option key={one.value} value={one.value} />
                    ))}
                </datalist>
                <Button
                  look="quiet"
                  aria-label={key === '' ? t('Remove label') : t('Remove label {key}', { key })}
                  onClick={() => onRows(rows.filter((_, at) => at !== i))}
                  icon={<X />}
                />
              </li>
            ))}
          </ul>
        )}
        <Button onClick={add} disabled={rows.length >= MAX_LABELS} icon={<Plus />}>
          {t('Add label')}
        </Button>
      </FieldGroup>
    </fieldset>
  )
}

/** Labels in the form of a monitor. */
export function useLabelChoice(
  rows: readonly LabelRow[] | null,
  onRows: (rows: readonly LabelRow[]) => void,
  { monitorId, source }: EditedMonitor,
) {
  const { api } = useOrganization()
  const { data } = useMonitorLabels(source)
  const stored = source === undefined ? {} : data?.labels
  const shown = rows ?? rowsOf(stored ?? {})
  return {
    field: stored === undefined ? null : <LabelEditor rows={shown} onRows={onRows} />,
    /** Saves the labels if they were changed. */
    async save(id: string): Promise<void> {
      const isStored = rows === null && monitorId !== undefined
      const labels = labelsOf(shown)
      if (isStored || (monitorId === undefined && Object.keys(labels).length === 0)) return
      await api.PUT('/api/v1/monitors/{monitorId}/labels', { path: { monitorId: id }, body: { labels } })
    },
  }
}
