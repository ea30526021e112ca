import type { SelectHTMLAttributes } from 'preact'

type NativeAttributes = 'id' | 'class' | 'disabled' | 'aria-label' | 'aria-invalid' | 'aria-describedby'

interface SelectProps<T extends string> extends Pick<SelectHTMLAttributes<HTMLSelectElement>, NativeAttributes> {
  readonly value: T
  readonly onValue: (value: T) => void
  readonly choices: readonly { readonly value: T; readonly label: string; readonly disabled?: boolean }[]
}

/** A native select. */
export function Select<T extends string>({ value, onValue, choices, ...rest }: SelectProps<T>) {
  return (
    <select class="input w-auto" {...rest} value={value} onChange={(event) => onValue(event.currentTarget.value as T)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} disabled={choice.disabled}>
          {choice.label}
        </option>
      ))}
    </select>
  )
}

/** The choices of a record of labels, in its order. */
export function choicesOf<T extends string>(labels: Readonly<Record<T, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value: value as T, label: label as string }))
}
