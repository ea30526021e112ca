import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'
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
      <SignInLayout title="Sign up">
        <QueryResult query={about}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
  const back = (
    <p>
      Have an account?{' '}
      <Link href="/sign-in" class="link">
        Sign in
      </Link>
    </p>
  )
  if (!about.data.openSignup) {
    return (
      <SignInLayout
        title="Nobody can sign up here"
        lead="Ask a member of your organization for an invitation."
        foot={back}
      />
    )
  }
  if (sentTo !== null) {
    return (
      <SignInLayout
        title="Look into your mail"
        lead={
          <>
            We have written to <strong>{sentTo}</strong>. The link in the letter finishes signing up; it is good for a
            day.
          </>
        }
        foot={back}
      />
    )
  }
  return (
    <SignInLayout title="Sign up" lead="You get an organization of your own, and can invite others to it." foot={back}>
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
    <Form action="Sign up" onSubmit={submit} class={wideForm}>
      {fields}
    </Form>
  )
}
