import type { ComponentChildren } from 'preact'

interface ChipsProps<T> {
  readonly legend: ComponentChildren
  readonly choices: readonly (readonly [label: string, choice: T])[]
  readonly onPick: (choice: T) => void
}

/** Buttons that fill in fields of a form. */
export function Chips<T>({ legend, choices, onPick }: ChipsProps<T>) {
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{legend}</legend>
      <div class="flex flex-wrap gap-1.5">
        {choices.map(([label, choice]) => (
          <button
            key={label}
            type="button"
            class="touch rounded-full border border-line px-3 py-1 text-xs hover:border-accent hover:bg-accent-soft"
            onClick={() => onPick(choice)}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
