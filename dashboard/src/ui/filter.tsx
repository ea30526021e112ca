import { useId } from 'preact/hooks'

interface FilterProps {
  /** For those who hear the page. */
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A field that narrows the list below it. */
export function Filter({ label, value, onValue }: FilterProps) {
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
        placeholder="Filter"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}
