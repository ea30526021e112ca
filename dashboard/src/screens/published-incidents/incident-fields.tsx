import { t } from '../../lib/i18n.ts'
import { SelectField, TextField } from '../../ui/form.tsx'
import { type Impact, impacts } from './labels.tsx'

interface FieldProps<T> {
  readonly value: T
  readonly onValue: (next: T) => void
}

export function TitleField({ value, onValue }: FieldProps<string>) {
  return <TextField label={t('Title')} path="title" value={value} onValue={onValue} required maxLength={200} />
}

export function ImpactField({ value, onValue }: FieldProps<Impact>) {
  return <SelectField label={t('Impact')} path="impact" value={value} onValue={onValue} choices={impacts} />
}
