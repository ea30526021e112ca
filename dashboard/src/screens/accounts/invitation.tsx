import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useSearch } from 'wouter-preact'
import { RequestError } from '../../api/api-error.ts'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useAbout, useMe } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, Form, TextField } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { signOut, useOpenOrganization } from './after-sign-in.ts'
import { PasswordField } from './password-field.tsx'
import { roleDescriptions } from './roles.ts'
import { SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'

/** Accepts an invitation, as the signed-in user or with a new account. */
export default function Invitation() {
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const about = useAbout()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => userApp.GET('/app/api/invitations/link', { query: { token } }),
    enabled: token !== '',
    retry: false,
  })
  if (token === '') {
    return <SignInLayout title={t('Incomplete link')} lead={t('Open the complete link from the invitation.')} />
  }
  if (invitation.error instanceof RequestError && invitation.error.status === 404) return <InvitationExpired />
  if (invitation.data === undefined || about.data === undefined) {
    return <SignInLoading title={t('Invitation')} query={invitation.isError ? invitation : about} />
  }
  const { organizationName, role, invitedBy, expiresAt } = invitation.data
  return (
    <SignInLayout
      title={t('Join {organizationName}', { organizationName })}
      lead={tx('{name} invited you {role}. {permissions}', {
        name: <strong class="text-ink">{invitedBy}</strong>,
        role: roleDescriptions[role].as,
        permissions: roleDescriptions[role].may,
      })}
      foot={
        <p class="text-xs">
          {t('Single-use link, expires')} <AbsoluteTime at={expiresAt} />
        </p>
      }
    >
      <Join token={token} invitation={invitation.data} signedIn={about.data.signedIn} />
    </SignInLayout>
  )
}

interface JoinProps {
  readonly token: string
  readonly invitation: AppSchemas['InvitationLink']
}

function Join({ token, invitation, signedIn }: JoinProps & { signedIn: boolean }) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (sentTo !== null) {
    return (
      <p role="status">{tx('We’ve sent a link to {name}. Open it to join.', { name: <strong>{sentTo}</strong> })}</p>
    )
  }
  if (signedIn) return <JoinAsMe token={token} onSent={setSentTo} />
  if (invitation.confirmsAddress) return <ConfirmFirst token={token} invitation={invitation} onSent={setSentTo} />
  return <JoinAsNew token={token} invitation={invitation} />
}

function InvitationExpired() {
  return (
    <SignInLayout
      title={t('Invitation not valid')}
      lead={t('It was used, was revoked, or has expired. Ask for a new one. If you have already joined, sign in.')}
    >
      <Link href="/sign-in" class="button w-full">
        {t('Sign in')}
      </Link>
    </SignInLayout>
  )
}

/** `onSent`: an e-mail was sent instead, because the address is not confirmed. */
function useAccept(token: string, onSent?: () => void) {
  const openOrganization = useOpenOrganization()
  return async (account: Omit<AppSchemas['AcceptInvitation'], 'token'>) => {
    const joined = await userApp.POST('/app/api/invitations/accept', { body: { token, ...account } })
    if (joined.next === 'CONFIRM') onSent?.()
    else await openOrganization('', joined.organizationId)
  }
}

function JoinAsMe({ token, onSent }: { token: string; onSent: (email: string) => void }) {
  const queries = useQueryClient()
  const me = useMe({ staleTime: 0 })
  const accept = useAccept(token, () => onSent(me.data?.user.email ?? ''))
  return (
    <QueryResult query={me}>
      {({ user }) => (
        <>
          <p>{tx('You are signed in as {name}.', { name: <strong>{user.email}</strong> })}</p>
          <Form action={t('Join as {name}', { name: user.name })} onSubmit={() => accept({})} class={wideForm}>
            {null}
          </Form>
          <Button class="w-full" onClick={() => void signOut().then(() => queries.resetQueries())}>
            {t('Sign out and join with another account')}
          </Button>
        </>
      )}
    </QueryResult>
  )
}

/** Asks only for the address. The link that is sent there continues. */
function ConfirmFirst({ token, invitation, onSent }: JoinProps & { onSent: (email: string) => void }) {
  const [email, setEmail] = useState('')
  const accept = useAccept(token, () => onSent(invitation.email ?? email))
  return (
    <>
      <Form action={t('Continue')} onSubmit={() => accept(invitation.email === null ? { email } : {})} class={wideForm}>
        <Address invitation={invitation} value={email} onValue={setEmail} />
        <p class="text-muted">{t('We’ll send a link to this address to confirm it.')}</p>
      </Form>
      <SignInInstead token={token} />
    </>
  )
}

interface AddressProps {
  readonly invitation: AppSchemas['InvitationLink']
  readonly value: string
  readonly onValue: (email: string) => void
}

function Address({ invitation, value, onValue }: AddressProps) {
  if (invitation.email !== null) return <p>{tx('For {name}', { name: <strong>{invitation.email}</strong> })}</p>
  return <EmailField value={value} onValue={onValue} />
}

function signInPath(token: string): string {
  return `/sign-in?next=${encodeURIComponent(`/invitation?token=${token}`)}`
}

function SignInInstead({ token }: { token: string }) {
  return (
    <p>
      {tx('Already have an account? {link}', {
        link: (
          <Link href={signInPath(token)} class="link">
            {t('Sign in to join')}
          </Link>
        ),
      })}
    </p>
  )
}

function JoinAsNew({ token, invitation }: JoinProps) {
  const accept = useAccept(token)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  if (invitation.hasAccount) {
    return (
      <>
        <p>{tx('{name} already has an account. Sign in to join.', { name: <strong>{invitation.email}</strong> })}</p>
        <Link href={signInPath(token)} class="button button-primary w-full">
          {t('Sign in to join')}
        </Link>
      </>
    )
  }
  const submit = () => accept({ password, ...(name !== '' && { name }), ...(invitation.email === null && { email }) })
  return (
    <>
      <Form action={t('Create account and join')} onSubmit={submit} class={wideForm}>
        <Address invitation={invitation} value={email} onValue={setEmail} />
        <TextField
          label={t('Your name (optional)')}
          path="name"
          autocomplete="name"
          maxLength={120}
          value={name}
          onValue={setName}
        />
        <PasswordField isNew value={password} onValue={setPassword} />
      </Form>
      <SignInInstead token={token} />
    </>
  )
}
