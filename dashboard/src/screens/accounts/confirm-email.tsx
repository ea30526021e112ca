import { Redirect, useLocation, useSearch } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { useAbout } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useAfterSignIn } from './after-sign-in.ts'
import { IncompleteLink, SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'

/** Target of the link in the e-mail that a signed-in user has requested. Only the button uses the token. */
export default function ConfirmEmail() {
  const about = useAbout()
  const finishSignIn = useAfterSignIn()
  const [path] = useLocation()
  const search = useSearch()
  const token = new URLSearchParams(search).get('token') ?? ''
  const title = t('Confirm your e-mail address')
  if (about.data === undefined) return <SignInLoading title={title} query={about} />
  if (!about.data.signedIn) return <Redirect to={`/sign-in?next=${encodeURIComponent(`${path}?${search}`)}`} replace />
  if (token === '') return <IncompleteLink href="/" label={t('Continue')} />
  const submit = async () => {
    await userApp.POST('/app/api/me/email-confirmation', { body: { token } })
    showToast(t('E-mail address confirmed'))
    finishSignIn()
  }
  return (
    <SignInLayout title={title}>
      <Form action={t('Confirm e-mail address')} onSubmit={submit} class={wideForm}>
        {null}
      </Form>
    </SignInLayout>
  )
}
