import { Eye, EyeOff } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { Field } from '../../ui/form.tsx'

interface PasswordProps {
  readonly label?: string
  readonly path?: string
  readonly value: string
  readonly onValue: (value: string) => void
  /** A new password must meet the server's rules; an existing one is not validated. */
  readonly isNew?: boolean
  readonly autoFocus?: boolean
}

const SHORTEST = 10

/** A password field with a button to show the text. */
export function PasswordField(props: PasswordProps) {
  const {
    label = t('Password'),
    path = 'password',
    value,
    onValue,
    isNew = false,
    autoFocus: autofocus = false,
  } = props
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  const hint = isNew ? t('At least {shortest} characters', { shortest: SHORTEST }) : undefined
  const attributes: object = {
    type: isShown ? 'text' : 'password',
    autocomplete: isNew ? 'new-password' : 'current-password',
    spellcheck: false,
    required: true,
    autofocus,
    minLength: isNew ? SHORTEST : undefined,
    maxLength: 200,
  }
  return (
    <Field label={label} path={path} hint={hint}>
      {(wiring) => (
        <div class="relative">
          <input
            {...wiring}
            {...attributes}
            class="input pe-12"
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <button
            type="button"
            class="button button-quiet button-icon absolute inset-y-0 right-0 text-muted"
            aria-pressed={isShown}
            aria-label={t('Show {label}', { label: label.toLowerCase() })}
            title={isShown ? t('Hide') : t('Show')}
            onClick={() => setShown(!isShown)}
          >
            <Icon />
          </button>
        </div>
      )}
    </Field>
  )
}
