import { useQueryClient } from '@tanstack/preact-query'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'
import { Form } from '../../ui/form.tsx'
import { homePath } from './after-sign-in.ts'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Target of the link in the confirmation e-mail. Only the button uses the token, because mail scanners open links. */
export default function ConfirmSignUp() {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const submit = async () => {
    await unwrap(userApp.POST('/app/api/sign-up/confirm', { body: { token } }))
    navigate(`${await homePath(queries)}welcome`)
  }
  if (token === '') {
    return (
      <SignInLayout title="Incomplete link" lead="Open the complete link from the e-mail.">
        <Link href="/sign-up" class="button w-full">
          Sign up
        </Link>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout title="Confirm your e-mail address" lead="This completes your sign-up and creates your organization.">
      <Form action="Confirm and continue" onSubmit={submit} class={wideForm}>
        {null}
      </Form>
    </SignInLayout>
  )
}
