import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { MAX_SELECTOR_CHARS } from '../../../src/lib/selector.ts'
import { useKnownLabels } from '../api/labels.ts'
import { faultIn, termFor } from '../lib/selector.ts'
import { TextField } from './form.tsx'

interface SelectorFieldProps {
  readonly label: string
  readonly path: string
  readonly hint?: ComponentChildren
  readonly value: string
  readonly onValue: (text: string) => void
  readonly required?: boolean
  readonly disabled?: boolean
}

/** A selector, with suggestions from the labels in use. What is wrong with it replaces the hint. */
export function SelectorField({ hint, value, ...field }: SelectorFieldProps) {
  const id = useId()
  // A form may have many of these fields, and there may be many labels.
  const [isUsed, setUsed] = useState(false)
  const fault = faultIn(value)
  const shownHint = fault === undefined ? hint : <span class="text-down-text">{fault}</span>
  return (
    <div onFocusCapture={() => setUsed(true)}>
      <TextField
        {...field}
        value={value}
        placeholder="team=payments"
        autocomplete="off"
        maxLength={MAX_SELECTOR_CHARS}
        list={`${id}-labels`}
        {...(shownHint !== undefined && { hint: shownHint })}
      />
      <SelectorSuggestions id={`${id}-labels`} enabled={isUsed} />
    </div>
  )
}

/** A condition for every label and value in use. They are loaded when they may be needed. */
export function SelectorSuggestions({ id, enabled }: { id: string; enabled: boolean }) {
  const known = useKnownLabels(enabled)
  return (
    <datalist id={id}>
      {enabled &&
        known.flatMap(({ label, values }) =>
          values.map(({ value }) => <option key={`${label} ${value}`} value={termFor(label, value)} />),
        )}
    </datalist>
  )
}
