import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Form } from '../../ui/form.tsx'
import { PasswordField } from '../accounts/password-field.tsx'

interface ProofProps {
  readonly hasPassword: boolean
  readonly action: string
  /** Gets what goes into the request: the password, where there is one. */
  readonly onProof: (proof: { password?: string }) => Promise<unknown>
  readonly onCancel: () => void
  readonly children?: ComponentChildren
}

/** What guards the account is changed only by who knows the password, or without one has just signed in. */
export function Reauthenticate({ hasPassword, action, onProof, onCancel, children }: ProofProps) {
  const [password, setPassword] = useState('')
  return (
    <Form action={action} onSubmit={() => onProof(hasPassword ? { password } : {})} onCancel={onCancel}>
      {children}
      {hasPassword ? (
        <PasswordField autoFocus label="Your password" value={password} onValue={setPassword} />
      ) : (
        <p class="text-muted">You have no password, so this takes a sign-in within the last 10 minutes.</p>
      )}
    </Form>
  )
}
