import { t } from '../../lib/i18n.ts'
import { TextField } from '../../ui/form.tsx'
import { type GuessedType, guessType } from './guess-type.ts'

interface AddressFieldProps {
  readonly value: string
  /** With the type that the address suggests; null while it is incomplete. */
  readonly onValue: (typed: string, guessed: GuessedType | null) => void
  readonly hint?: string
  /** Path of the target in error details. */
  readonly path?: string
  readonly required?: boolean
}

/** The first field of a new monitor: takes any address and guesses the type. */
export function AddressField({ value, onValue, hint, path = 'address', required = false }: AddressFieldProps) {
  return (
    <TextField
      label={t('URL or host')}
      path={path}
      value={value}
      onValue={(typed) => onValue(typed, guessType(typed))}
      placeholder="https://example.com or db.example:5432"
      inputMode="url"
      autocomplete="off"
      maxLength={2048}
      hint={hint}
      required={required}
      autoFocus
    />
  )
}
