import { Link, useSearch } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { useOpenOrganization } from './after-sign-in.ts'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Target of the link in the confirmation e-mail. Only the button uses the token, because mail scanners open links. */
export default function ConfirmSignUp() {
  const openOrganization = useOpenOrganization()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const submit = async () => {
    await userApp.POST('/app/api/sign-up/confirm', { body: { token } })
    await openOrganization('welcome')
  }
  if (token === '') {
    return (
      <SignInLayout title={t('Incomplete link')} lead={t('Open the complete link from the e-mail.')}>
        <Link href="/sign-up" class="button w-full">
          {t('Sign up')}
        </Link>
      </SignInLayout>
    )
  }
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
