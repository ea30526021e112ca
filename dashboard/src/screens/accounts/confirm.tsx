import { useQueryClient } from '@tanstack/preact-query'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { answer, userApp } from '../../api/client.ts'
import { Form } from '../../ui/form.tsx'
import { homeOf } from './coming-in.ts'
import { Door, wideForm } from './door.tsx'

/** The link of the letter leads here. Only the button uses it up: mail programs look at links before people do. */
export default function ConfirmSignUp() {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  const submit = async () => {
    await answer(userApp.POST('/app/api/sign-up/confirm', { body: { token } }))
    navigate(`${await homeOf(queries)}welcome`)
  }
  if (token === '') {
    return (
      <Door title="Something is missing" lead="This address is only good with what follows it in the letter.">
        <Link href="/sign-up" class="button w-full">
          Sign up
        </Link>
      </Door>
    )
  }
  return (
    <Door title="Confirm your address" lead="This finishes signing up and makes your organization.">
      <Form action="Confirm and go on" onSubmit={submit} class={wideForm}>
        {null}
      </Form>
    </Door>
  )
}
