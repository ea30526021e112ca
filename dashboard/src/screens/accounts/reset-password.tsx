import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { RequestError } from '../../api/api-error.ts'
import { userApp } from '../../api/client.ts'
import { useAbout } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { EmailField, Form } from '../../ui/form.tsx'
import { useAfterSignIn } from './after-sign-in.ts'
import { PasswordField } from './password-field.tsx'
import { type Challenge, SecondFactor } from './second-factor.tsx'
import { SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'

/** Requests a reset link, or sets the new password if the URL has a token. */
export default function ResetPassword() {
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  return token === '' ? <AskForLink /> : <NewPassword token={token} />
}

const back = (
  <Link href="/sign-in" class="link">
    {t('Back to sign-in')}
  </Link>
)

function AskForLink() {
  const about = useAbout()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const submit = async () => {
    await userApp.POST('/app/api/password-reset/request', { body: { email } })
    setSentTo(email)
  }
  if (about.data === undefined) return <SignInLoading title={t('Forgot password?')} query={about} />
  if (!about.data.mail) {
    return (
      <SignInLayout
        title={t('Forgot password?')}
        lead={t('This installation can’t send e-mail. Ask its operator to create a reset link:')}
        foot={back}
      >
        <CodeBlock
          text={t('pharos users reset-password you@example.com')}
          label={t('Command that creates the link')}
          wrap
        />
      </SignInLayout>
    )
  }
  if (sentTo !== null) {
    return (
      <SignInLayout
        title={t('Check your inbox')}
        lead={tx('If {name} has an account, we’ve sent a reset link. It expires in one hour.', {
          name: <strong>{sentTo}</strong>,
        })}
        foot={back}
      />
    )
  }
  return (
    <SignInLayout title={t('Forgot password?')} lead={t('We’ll e-mail you a link to set a new one.')} foot={back}>
      <Form action={t('Send link')} onSubmit={submit} class={wideForm}>
        <EmailField autoFocus value={email} onValue={setEmail} />
      </Form>
    </SignInLayout>
  )
}

function NewPassword({ token }: { token: string }) {
  const finishSignIn = useAfterSignIn()
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [isInvalid, setInvalid] = useState(false)
  const submit = async () => {
    const result = await userApp.POST('/app/api/password-reset', { body: { token, password } }).catch((thrown) => {
      if (thrown instanceof RequestError && thrown.code === 'not_found') setInvalid(true)
      throw thrown
    })
    if (result.challenge) setChallenge(result.challenge)
    else finishSignIn()
  }
  if (challenge !== null) {
    return <SecondFactor challenge={challenge} onSignedIn={() => finishSignIn()} onBack={() => navigate('/sign-in')} />
  }
  if (isInvalid) {
    return (
      <SignInLayout
        title={t('This link is not valid')}
        lead={t('It was already used or has expired. Your password has not changed.')}
        foot={back}
      >
        <Link href="/reset-password" class="button button-primary w-full">
          {t('Request a new link')}
        </Link>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout title={t('Set a new password')} lead={t('You’ll be signed out everywhere else.')} foot={back}>
      <Form action={t('Set password')} onSubmit={submit} class={wideForm}>
        <PasswordField isNew autoFocus label={t('New password')} value={password} onValue={setPassword} />
      </Form>
    </SignInLayout>
  )
}
