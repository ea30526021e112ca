import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { selectorIn } from '../lib/selector.ts'
import { Form } from './form.tsx'
import { SelectorField } from './selector-field.tsx'

interface SelectorFormProps {
  /** One field per entry. */
  readonly selectors: readonly { readonly label: string; readonly path: string; readonly selector: string | null }[]
  readonly disabled: boolean
  /** In the order of the entries; null removes a selector. */
  readonly onSave: (selectors: readonly (string | null)[]) => Promise<unknown>
}

/** Edits selectors, with suggestions from the labels in use. */
export function SelectorForm({ selectors, disabled, onSave }: SelectorFormProps) {
  const [texts, setTexts] = useState(selectors.map(({ selector }) => selector ?? ''))
  const fields = selectors.map(({ label, path }, i) => (
    <SelectorField
      key={path}
      label={label}
      path={path}
      value={texts[i] ?? ''}
      onValue={(next) => setTexts(texts.map((other, at) => (at === i ? next : other)))}
      disabled={disabled}
    />
  ))
  if (disabled) return <div class="space-y-4">{fields}</div>
  return (
    <Form onSubmit={() => onSave(texts.map(selectorIn))} action={t('Save selectors')}>
      {fields}
    </Form>
  )
}
