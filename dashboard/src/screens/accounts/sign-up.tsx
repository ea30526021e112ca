import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { useAbout } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { useOpenOrganization } from './after-sign-in.ts'
import { useOwnerFields } from './owner-fields.tsx'
import { SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'

/** Creates a user with a new organization, if open sign-up is enabled. */
export default function SignUp() {
  const about = useAbout()
  const isMailed = about.data?.mail === true
  const owner = useOwnerFields(!isMailed)
  const [isSent, setSent] = useState(false)
  if (about.data === undefined) return <SignInLoading title={t('Sign up')} query={about} />
  const back = (
    <p>
      {tx('Already have an account? {link}', {
        link: (
          <Link href="/sign-in" class="link">
            {t('Sign in')}
          </Link>
        ),
      })}
    </p>
  )
  if (!about.data.openSignup) {
    return (
      <SignInLayout
        title={t('Sign-up is closed')}
        lead={t('Ask an admin of your organization for an invitation.')}
        foot={back}
      />
    )
  }
  if (isSent) {
    return (
      <SignInLayout
        title={t('Check your inbox')}
        lead={tx('We’ve sent a confirmation link to {name}. It expires in 24 hours.', {
          name: <strong>{owner.body.email}</strong>,
        })}
        foot={back}
      >
        <CheckInbox body={owner.body} onChange={() => setSent(false)} />
      </SignInLayout>
    )
  }
  return (
    <SignInLayout title={t('Sign up')} lead={t('You get your own organization and can invite others.')} foot={back}>
      <SignUpForm owner={owner} isMailed={isMailed} onSent={() => setSent(true)} />
    </SignInLayout>
  )
}

type Owner = ReturnType<typeof useOwnerFields>

interface SignUpFormProps {
  readonly owner: Owner
  /** The password is chosen with the link in the e-mail. */
  readonly isMailed: boolean
  readonly onSent: () => void
}

function SignUpForm({ owner: { body, password, fields }, isMailed, onSent }: SignUpFormProps) {
  const openOrganization = useOpenOrganization()
  const submit = async () => {
    const { next } = await userApp.POST('/app/api/sign-up', { body: isMailed ? body : { ...body, password } })
    if (next === 'CONFIRM') onSent()
    else await openOrganization('welcome')
  }
  return (
    <Form action={t('Sign up')} onSubmit={submit} class={wideForm}>
      {fields}
      {isMailed && <p class="text-muted">{t('We’ll e-mail you a link to choose a password.')}</p>}
    </Form>
  )
}

/** For an e-mail that does not arrive. */
function CheckInbox({ body, onChange }: { body: Owner['body']; onChange: () => void }) {
  const [isResent, setResent] = useState(false)
  const resend = async () => {
    setResent(false)
    await userApp.POST('/app/api/sign-up', { body })
    setResent(true)
  }
  return (
    <Form action={t('Resend e-mail')} look="plain" onSubmit={resend} class={wideForm}>
      <p class="text-muted">
        {tx('No e-mail? Check your spam folder, or {link}.', {
          link: (
            <button type="button" class="link" onClick={onChange}>
              {t('change the address')}
            </button>
          ),
        })}
      </p>
      <p role="status" class="text-up-text empty:hidden">
        {isResent && t('We’ve sent it again.')}
      </p>
    </Form>
  )
}
