import { useId } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { FieldGroup } from '../../ui/field-group.tsx'
import { type MonitorType, monitorTypes } from './types.ts'

/** All monitor types with descriptions. */
export function TypePicker({ value, onValue }: { value: MonitorType; onValue: (type: MonitorType) => void }) {
  const name = useId()
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Type')}</legend>
      <FieldGroup path="type" value={value}>
        <div class="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-2">
          {monitorTypes.map((kind) => (
            <label
              key={kind.value}
              class="touch flex cursor-pointer items-center gap-2 rounded-md border border-line bg-surface px-3 py-2 hover:bg-ground has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                class="accent-accent"
                name={name}
                value={kind.value}
                checked={kind.value === value}
                onChange={() => onValue(kind.value)}
              />
              <span class="font-medium">{kind.label}</span>
            </label>
          ))}
        </div>
        <p class="mt-2 text-muted" aria-live="polite">
          {monitorTypes.find((kind) => kind.value === value)?.description}
        </p>
      </FieldGroup>
    </fieldset>
  )
}
