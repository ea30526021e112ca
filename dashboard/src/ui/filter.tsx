import { useId } from 'preact/hooks'
import { t } from '../lib/i18n.ts'

interface FilterProps {
  /** For screen readers. */
  readonly label: string
  /** Shown while the field is empty. */
  readonly placeholder?: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A search field for a list. */
export function Filter({ label, placeholder = t('Filter'), value, onValue }: FilterProps) {
  const id = useId()
  return (
    <div class="p-2">
      <label class="sr-only" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="input"
        type="search"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}
