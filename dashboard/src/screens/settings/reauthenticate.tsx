import { useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import type { ButtonLook } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { PasswordField } from '../accounts/password-field.tsx'

interface ReauthenticateProps {
  readonly hasPassword: boolean
  readonly action: string
  readonly look?: ButtonLook
  /** Called with the password, if the user has one. */
  readonly onProof: (proof: { password?: string }) => Promise<unknown>
  readonly onCancel: () => void
  readonly children?: ComponentChildren
}

/** Asks for the password before sign-in methods change; without one, a recent sign-in is required. */
export function Reauthenticate({
  hasPassword,
  action,
  look = 'primary',
  onProof,
  onCancel,
  children,
}: ReauthenticateProps) {
  const [password, setPassword] = useState('')
  return (
    <Form action={action} look={look} onSubmit={() => onProof(hasPassword ? { password } : {})} onCancel={onCancel}>
      {children}
      {hasPassword ? (
        <PasswordField autoFocus label={t('Your password')} value={password} onValue={setPassword} />
      ) : (
        <p class="text-muted">{t('You have no password, so you must have signed in within the last 10 minutes.')}</p>
      )}
    </Form>
  )
}

/** Fetches the sign-in methods again after one changed. */
export function useRefetchSecurity() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['security'] })
}
