import { useState } from 'preact/hooks'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { Form, TextField } from '../../ui/form.tsx'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

export type Challenge = NonNullable<AppSchemas['SignInResult']['challenge']>

interface SecondStepProps {
  readonly challenge: Challenge
  readonly onSignedIn: () => void
  /** Returns to the password: the challenge allows a few minutes and a few wrong codes. */
  readonly onBack: () => void
}

const recoveryCode = { label: t('Recovery code'), autocomplete: 'off' } as const
const appCode = {
  label: t('Code'),
  autocomplete: 'one-time-code',
  inputMode: 'numeric',
  pattern: '\\s*[0-9]{3}\\s*[0-9]{3}\\s*',
  placeholder: '123456',
} as const

/** Asks for a code of the authenticator app or a recovery code. */
export function SecondFactor({ challenge: { token, methods }, onSignedIn, onBack }: SecondStepProps) {
  const [isRecovery, setRecovery] = useState(!methods.includes('TOTP'))
  const [code, setCode] = useState('')
  const submit = async () => {
    const body = { challenge: token, code: code.trim() }
    if (isRecovery) await userApp.POST('/app/api/sign-in/recovery-code', { body })
    else await userApp.POST('/app/api/sign-in/totp', { body })
    onSignedIn()
  }
  const switchMethod = () => {
    setRecovery(!isRecovery)
    setCode('')
  }
  return (
    <SignInLayout
      title={t('Two-factor authentication')}
      lead={
        isRecovery
          ? t('Enter one of your recovery codes. Each code works once.')
          : t('Enter the six-digit code from your authenticator app.')
      }
      foot={
        <button type="button" class="link touch" onClick={onBack}>
          {t('Start over')}
        </button>
      }
    >
      <Form action={t('Sign in')} onSubmit={submit} class={wideForm} key={String(isRecovery)}>
        <TextField
          {...(isRecovery ? recoveryCode : appCode)}
          path="code"
          required
          autoFocus
          value={code}
          onValue={setCode}
        />
      </Form>
      {methods.includes('RECOVERY_CODE') && methods.includes('TOTP') && (
        <button type="button" class="link touch" onClick={switchMethod}>
          {isRecovery ? t('Use authenticator app') : t('Use a recovery code instead')}
        </button>
      )}
    </SignInLayout>
  )
}
