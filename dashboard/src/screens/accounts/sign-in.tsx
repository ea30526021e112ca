import { KeyRound } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link, Redirect, useSearch } from 'wouter-preact'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useAbout } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, Form } from '../../ui/form.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { nextPath, useAfterSignIn } from './after-sign-in.ts'
import { NoOrganization } from './no-organization.tsx'
import { oidcProblem } from './oidc-problem.ts'
import { PasswordField } from './password-field.tsx'
import { type Challenge, SecondFactor } from './second-factor.tsx'
import { OrSeparator, SignInLayout, wideForm } from './sign-in-layout.tsx'
import { signInWithPasskey, supportsPasskeys } from './webauthn.ts'

export default function SignIn() {
  const about = useAbout()
  const search = useSearch()
  const finishSignIn = useAfterSignIn()
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const next = nextPath(search)
  const onAnswer = (result: AppSchemas['SignInResult']) => {
    if (result.challenge) setChallenge(result.challenge)
    else finishSignIn(next)
  }
  if (about.data === undefined) {
    return (
      <SignInLayout title={t('Sign in')}>
        <QueryResult query={about}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
  if (about.data.setupNeeded) return <Redirect to="/setup" replace />
  if (about.data.signedIn) return <NoOrganization next={next} />
  if (challenge !== null) {
    return (
      <SecondFactor challenge={challenge} onSignedIn={() => finishSignIn(next)} onBack={() => setChallenge(null)} />
    )
  }
  return <SignInMethods about={about.data} search={search} next={next} onAnswer={onAnswer} />
}

interface SignInMethodsProps {
  readonly about: AppSchemas['About']
  readonly search: string
  readonly next: string | undefined
  readonly onAnswer: (result: AppSchemas['SignInResult']) => void
}

/** All sign-in methods of this installation. */
function SignInMethods({ about, search, next, onAnswer }: SignInMethodsProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const problem = oidcProblem(new URLSearchParams(search).get('problem'), about.oidc?.name)
  const submit = async () => onAnswer(await userApp.POST('/app/api/sign-in', { body: { email, password } }))
  return (
    <SignInLayout title={t('Sign in')} foot={<SignInLinks openSignup={about.openSignup} />}>
      {problem !== undefined && <ErrorNotice problem={new Error(problem)} />}
      <Form action={t('Sign in')} onSubmit={submit} class={wideForm}>
        <EmailField autoFocus value={email} onValue={setEmail} />
        <PasswordField value={password} onValue={setPassword} />
      </Form>
      <p>
        <Link href="/reset-password" class="link">
          {t('Forgot password?')}
        </Link>
      </p>
      {(supportsPasskeys() || about.oidc) && <OrSeparator />}
      {supportsPasskeys() && <PasskeyButton onAnswer={onAnswer} />}
      {about.oidc && (
        // A full page load, because the provider redirects.
        <a class="button w-full" href={`/app/api/oidc/start${next ? `?next=${encodeURIComponent(next)}` : ''}`}>
          {tx('Sign in with {name}', { name: about.oidc.name })}
        </a>
      )}
    </SignInLayout>
  )
}

function PasskeyButton({ onAnswer }: Pick<SignInMethodsProps, 'onAnswer'>) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const prove = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      onAnswer(await signInWithPasskey())
    } catch (thrown) {
      setProblem(thrown)
      setBusy(false)
    }
  }
  return (
    <>
      <Button class="w-full" busy={isBusy} onClick={prove} icon={<KeyRound size={16} aria-hidden="true" />}>
        {t('Sign in with a passkey')}
      </Button>
      {problem !== undefined && <ErrorNotice problem={problem} />}
    </>
  )
}

function SignInLinks({ openSignup }: { openSignup: boolean }) {
  return openSignup ? (
    <p>
      {tx('New here? {link}', {
        link: (
          <Link href="/sign-up" class="link">
            {t('Sign up')}
          </Link>
        ),
      })}
    </p>
  ) : (
    <p>{t('No account? Ask an admin of your organization for an invitation.')}</p>
  )
}
