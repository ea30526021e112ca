import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { homePath, useAbout } from './after-sign-in.ts'
import { useOwnerFields } from './owner-fields.tsx'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Creates a user with a new organization, if open sign-up is enabled. */
export default function SignUp() {
  const about = useAbout()
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (about.data === undefined) {
    return (
      <SignInLayout title={t('Sign up')}>
        <QueryResult query={about}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
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
        lead={t('Ask a member of your organization for an invitation.')}
        foot={back}
      />
    )
  }
  if (sentTo !== null) {
    return (
      <SignInLayout
        title={t('Check your inbox')}
        lead={tx('We’ve sent a confirmation link to {name}. It expires in 24 hours.', {
          name: <strong>{sentTo}</strong>,
        })}
        foot={back}
      />
    )
  }
  return (
    <SignInLayout title={t('Sign up')} lead={t('You get your own organization and can invite others.')} foot={back}>
      <Wish onSent={setSentTo} />
    </SignInLayout>
  )
}

function Wish({ onSent }: { onSent: (email: string) => void }) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const { body, fields } = useOwnerFields()
  const submit = async () => {
    const { next } = await unwrap(userApp.POST('/app/api/sign-up', { body }))
    if (next === 'CONFIRM') onSent(body.email)
    else navigate(`${await homePath(queries)}welcome`)
  }
  return (
    <Form action={t('Sign up')} onSubmit={submit} class={wideForm}>
      {fields}
    </Form>
  )
}
