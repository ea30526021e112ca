import { useQueryClient } from '@tanstack/preact-query'
import { KeyRound } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link, Redirect, useLocation, useSearch } from 'wouter-preact'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useAbout, useMe } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, Form, TextField } from '../../ui/form.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { nextPath, signOut, useAfterSignIn } from './after-sign-in.ts'
import { PasswordField } from './password-field.tsx'
import { type Challenge, SecondFactor } from './second-factor.tsx'
import { OrSeparator, SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'
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
  if (about.data === undefined) return <SignInLoading title={t('Sign in')} query={about} />
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
  const doing = useRunningAction()
  const prove = () => void doing.run('prove', async () => onAnswer(await signInWithPasskey()))
  return (
    <>
      <Button class="w-full" busy={doing.busy !== null} onClick={prove} icon={<KeyRound />}>
        {t('Sign in with a passkey')}
      </Button>
      <ErrorNotice problem={doing.problem} />
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

/** Shown to signed-in users without an organization. */
function NoOrganization({ next }: { next: string | undefined }) {
  const queries = useQueryClient()
  const about = useAbout()
  const me = useMe({ staleTime: 0 })
  const leave = async () => {
    await signOut()
    queries.clear()
    await about.refetch()
  }
  if (me.data === undefined) return <SignInLoading title={t('Sign in')} query={me} />
  if (me.data.organizations.length > 0) return <Redirect to={next ?? '/'} replace />
  const { email } = me.data.user
  return (
    <SignInLayout
      title={t('You’re not in an organization')}
      lead={
        about.data?.openSignup
          ? t('You are signed in as {email}. Open an invitation link to join an organization, or create one.', {
              email,
            })
          : t(
              'You are signed in as {email}. Open an invitation link to join an organization. An admin can send you one.',
              { email },
            )
      }
    >
      {about.data?.openSignup && <NewOrganization />}
      <Button class="w-full" onClick={leave}>
        {t('Sign out')}
      </Button>
    </SignInLayout>
  )
}

function NewOrganization() {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const submit = async () => {
    const { slug } = await userApp.POST('/app/api/organizations', { body: { name } })
    queries.clear()
    navigate(`/o/${slug}/welcome`)
  }
  return (
    <Form action={t('Create organization')} onSubmit={submit} class={wideForm}>
      <TextField label={t('Organization')} path="name" required maxLength={120} value={name} onValue={setName} />
    </Form>
  )
}

/** Messages for the problem codes of OpenID Connect sign-in; documented in docs/accounts.md. */
const words: Readonly<Record<string, (name: string) => string>> = {
  oidc_off: () => t('Single sign-on is not set up on this installation'),
  oidc_away: (name) =>
    t('{name} could not be reached. Try again, or ask the operator to check the server log', { name }),
  oidc_over: (name) => t('Signing in with {name} timed out or was started in another browser. Try again', { name }),
  oidc_denied: (name) => t('{name} denied access, or you cancelled', { name }),
  oidc_unverified: (name) =>
    t('{name} has not verified your e-mail address. Verify it there, then try again', { name }),
  oidc_unknown: (name) => t('There is no account for your {name} e-mail address. Ask for an invitation', { name }),
  oidc_invalid: (name) =>
    t('The response from {name} is not valid. Try again, or ask the operator to check the server log', { name }),
}

/** The message for the problem in the URL; undefined if there is none. */
function oidcProblem(code: string | null, name = t('the sign-in provider')): string | undefined {
  if (code === null || code === '') return undefined
  const textFor =
    words[code] ?? (() => t('Signing in with {name} failed. Ask the operator to check the server log', { name }))
  const sentence = textFor(name)
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
