import { useState } from 'preact/hooks'
import { useSearch } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { useOpenOrganization } from './after-sign-in.ts'
import { PasswordField } from './password-field.tsx'
import { IncompleteLink, SignInLayout, wideForm } from './sign-in-layout.tsx'

/**
 * Target of the link in the confirmation e-mail, where the password is chosen. Only the button uses the token, because mail scanners
 * open links.
 */
export default function ConfirmSignUp() {
  const openOrganization = useOpenOrganization()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const [password, setPassword] = useState('')
  const submit = async () => {
    await userApp.POST('/app/api/sign-up/confirm', { body: { token, password } })
    await openOrganization('welcome')
  }
  if (token === '') return <IncompleteLink href="/sign-up" label={t('Sign up')} />
  return (
    <SignInLayout
      title={t('Choose a password')}
      lead={t('This confirms your e-mail address and creates your organization.')}
    >
      <Form action={t('Create account')} onSubmit={submit} class={wideForm}>
        <PasswordField isNew autoFocus value={password} onValue={setPassword} />
      </Form>
    </SignInLayout>
  )
}
