import { useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { useAbout, useAfterSignIn } from './after-sign-in.ts'
import { PasswordField } from './password-field.tsx'
import { type Challenge, SecondFactor } from './second-factor.tsx'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Requests a reset link, or sets the new password if the URL has a token. */
export default function ResetPassword() {
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  return token === '' ? <AskForLink /> : <NewPassword token={token} />
}

const back = (
  <Link href="/sign-in" class="link">
    Back to sign-in
  </Link>
)

function AskForLink() {
  const about = useAbout()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const submit = async () => {
    await unwrap(userApp.POST('/app/api/password-reset/request', { body: { email } }))
    setSentTo(email)
  }
  if (about.data === undefined) {
    return (
      <SignInLayout title="Forgot password?">
        <QueryResult query={about}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
  if (!about.data.mail) {
    return (
      <SignInLayout
        title="Forgot password?"
        lead="This installation can’t send e-mail. Ask its operator to create a reset link:"
        foot={back}
      >
        <CodeBlock text="npx pharos users reset-password you@example.com" label="Command that creates the link" />
      </SignInLayout>
    )
  }
  if (sentTo !== null) {
    return (
      <SignInLayout
        title="Check your inbox"
        lead={
          <>
            If <strong>{sentTo}</strong> has an account, we’ve sent a reset link. It expires in one hour.
          </>
        }
        foot={back}
      />
    )
  }
  return (
    <SignInLayout title="Forgot password?" lead="We’ll e-mail you a link to set a new one." foot={back}>
      <Form action="Send link" onSubmit={submit} class={wideForm}>
        <TextField
          {...{ label: 'E-mail', path: 'email', type: 'email', autocomplete: 'username', required: true }}
          autoFocus
          value={email}
          onValue={setEmail}
        />
      </Form>
    </SignInLayout>
  )
}

function NewPassword({ token }: { token: string }) {
  const comeIn = useAfterSignIn()
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const submit = async () => {
    const came = await unwrap(userApp.POST('/app/api/password-reset', { body: { token, password } }))
    if (came.challenge) setChallenge(came.challenge)
    else comeIn()
  }
  if (challenge !== null) {
    return <SecondFactor challenge={challenge} onIn={() => comeIn()} onBack={() => navigate('/sign-in')} />
  }
  return (
    <SignInLayout title="Set a new password" lead="You’ll be signed out everywhere else." foot={back}>
      <Form action="Set password" onSubmit={submit} class={wideForm}>
        <PasswordField isNew autoFocus label="New password" value={password} onValue={setPassword} />
      </Form>
    </SignInLayout>
  )
}
