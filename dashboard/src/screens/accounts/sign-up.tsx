import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { answer, userApp } from '../../api/client.ts'
import { Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { homeOf, useAbout } from './coming-in.ts'
import { Door, wideForm } from './door.tsx'
import { useFounder } from './founder-fields.tsx'

/** Somebody new, with an organization of their own, where the operator permits it. */
export default function SignUp() {
  const about = useAbout()
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (about.data === undefined) {
    return (
      <Door title="Sign up">
        <Loaded query={about}>{() => null}</Loaded>
      </Door>
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
      <Door title="Nobody can sign up here" lead="Ask a member of your organization for an invitation." foot={back} />
    )
  }
  if (sentTo !== null) {
    return (
      <Door
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
    <Door title="Sign up" lead="You get an organization of your own, and can invite others to it." foot={back}>
      <Wish onSent={setSentTo} />
    </Door>
  )
}

function Wish({ onSent }: { onSent: (email: string) => void }) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const { body, fields } = useFounder()
  const submit = async () => {
    const { next } = await answer(userApp.POST('/app/api/sign-up', { body }))
    if (next === 'CONFIRM') onSent(body.email)
    else navigate(`${await homeOf(queries)}welcome`)
  }
  return (
    <Form action="Sign up" onSubmit={submit} class={wideForm}>
      {fields}
    </Form>
  )
}
