import { useState } from 'preact/hooks'
import { useKnownLabels } from '../api/labels.ts'
import { t } from '../lib/i18n.ts'
import { faultIn, termFor } from '../lib/selector.ts'
import { Form, TextField } from './form.tsx'

interface SelectorFormProps {
  /** One field per entry. */
  readonly selectors: readonly { readonly label: string; readonly path: string; readonly selector: string | null }[]
  readonly disabled: boolean
  /** In the order of the entries; null removes a selector. */
  readonly onSave: (selectors: readonly (string | null)[]) => Promise<unknown>
}

/** Edits selectors, with suggestions from the labels in use. */
export function SelectorForm({ selectors, disabled, onSave }: SelectorFormProps) {
  const known = useKnownLabels()
  const [texts, setTexts] = useState(selectors.map(({ selector }) => selector ?? ''))
  const fields = selectors.map(({ label, path }, i) => {
    const text = texts[i] ?? ''
    const fault = faultIn(text)
    return (
      <TextField
        key={path}
        label={label}
        path={path}
        value={text}
        onValue={(next) => setTexts(texts.map((other, at) => (at === i ? next : other)))}
        placeholder="team=payments"
        autocomplete="off"
        maxLength={1000}
        list="label-suggestions"
        disabled={disabled}
        {...(fault !== undefined && { hint: <span class="text-down-text">{fault}</span> })}
      />
    )
  })
  const suggestions = (
    <datalist id="label-suggestions">
      {known.flatMap(({ label, values }) =>
        values.map(({ value }) => <option key={`${label} ${value}`} value={termFor(label, value)} />),
      )}
    </datalist>
  )
  if (disabled) return <div class="space-y-4">{fields}</div>
  return (
    <Form onSubmit={() => onSave(texts.map((text) => (text.trim() === '' ? null : text)))} action={t('Save selectors')}>
      {suggestions}
      {fields}
    </Form>
  )
}
