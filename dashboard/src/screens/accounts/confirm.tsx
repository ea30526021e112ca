import { useSearch } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { useOpenOrganization } from './after-sign-in.ts'
import { IncompleteLink, SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Target of the link in the confirmation e-mail. Only the button uses the token, because mail scanners open links. */
export default function ConfirmSignUp() {
  const openOrganization = useOpenOrganization()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const submit = async () => {
    await userApp.POST('/app/api/sign-up/confirm', { body: { token } })
    await openOrganization('welcome')
  }
  if (token === '') return <IncompleteLink href="/sign-up" label={t('Sign up')} />
  return (
    <SignInLayout
      title={t('Confirm your e-mail address')}
      lead={t('This completes your sign-up and creates your organization.')}
    >
      <Form action={t('Confirm and continue')} onSubmit={submit} class={wideForm}>
        {null}
      </Form>
    </SignInLayout>
  )
}
