interface SegmentsProps<T extends string> {
  /** Label for screen readers. */
  readonly label: string
  readonly value: T
  readonly choices: readonly { readonly value: T; readonly label: string }[]
  readonly onValue: (value: T) => void
}

/** A choice between a few visible options. */
export function SegmentedControl<T extends string>({ label, value, choices, onValue }: SegmentsProps<T>) {
  return (
    <fieldset class="inline-flex flex-wrap rounded-md border border-line-strong bg-surface p-0.5">
      <legend class="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
          class={`touch min-h-8 rounded-md px-3 whitespace-nowrap ${choice.value === value ? 'bg-accent-soft font-semibold text-accent' : 'text-muted hover:text-ink'}`}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  )
}
