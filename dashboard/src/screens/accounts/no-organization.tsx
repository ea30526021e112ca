import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { Redirect, useLocation } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { useAbout, useMe } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { clearDrafts } from '../../lib/unsaved-forms.ts'
import { Button } from '../../ui/button.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { SignInLayout, wideForm } from './sign-in-layout.tsx'

/** Shown to signed-in users without an organization. */
export function NoOrganization({ next }: { next: string | undefined }) {
  const queries = useQueryClient()
  const about = useAbout()
  const me = useMe({ staleTime: 0 })
  const signOut = async () => {
    await userApp.POST('/app/api/sign-out').catch((problem: Error) => showToast(problem.message))
    clearDrafts()
    queries.clear()
    await about.refetch()
  }
  if (me.data === undefined) {
    return (
      <SignInLayout title={t('Sign in')}>
        <QueryResult query={me}>{() => null}</QueryResult>
      </SignInLayout>
    )
  }
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
      <Button class="w-full" onClick={signOut}>
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
