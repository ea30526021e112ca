import { Link, useSearch } from 'wouter-preact'
import { userApp } from '../../api/client.ts'
import { useAbout } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Form } from '../../ui/form.tsx'
import { useOpenOrganization } from './after-sign-in.ts'
import { useOwnerFields } from './owner-fields.tsx'
import { SignInLayout, SignInLoading, wideForm } from './sign-in-layout.tsx'

/** Creates the first user of an installation, with a setup link. */
export default function SetUp() {
  const about = useAbout()
  const token = new URLSearchParams(useSearch()).get('token') ?? ''
  if (about.data === undefined) return <SignInLoading title={t('Set up Pharos')} query={about} />
  if (!about.data.setupNeeded) return <AlreadySetUp />
  return token === '' ? <FindSetupLink /> : <FirstUser token={token} />
}

function AlreadySetUp() {
  return (
    <SignInLayout title={t('Pharos is already set up')} lead={t('The setup link has already been used.')}>
      <Link href="/sign-in" class="button button-primary w-full">
        {t('Sign in')}
      </Link>
      <p class="text-muted">{t('No account? Ask an admin of your organization for an invitation.')}</p>
    </SignInLayout>
  )
}

function FindSetupLink() {
  return (
    <SignInLayout title={t('Set up Pharos')} lead={t('Open the single-use setup link of this server.')}>
      <div>
        <h2 class="font-medium">{t('Where to find the link')}</h2>
        <p class="mt-1 text-muted">{t('Run this command on the server:')}</p>
        <div class="mt-2">
          <CodeBlock text="pharos setup-link" label={t('Command that prints the link')} wrap />
        </div>
        <p class="mt-1 text-xs text-muted">{t('A new link invalidates the old one.')}</p>
      </div>
      <div>
        <h2 class="font-medium">{t('Without the link')}</h2>
        <p class="mt-1 text-muted">{t('Create the first user on the server:')}</p>
        <div class="mt-2">
          <CodeBlock
            text={t('pharos users create you@example.com --role owner')}
            label={t('Command that creates the first user')}
            wrap
          />
        </div>
      </div>
    </SignInLayout>
  )
}

function FirstUser({ token }: { token: string }) {
  const openOrganization = useOpenOrganization()
  const owner = useOwnerFields()
  const submit = async () => {
    const body = { token, password: owner.password, ...owner.body }
    await userApp.POST('/app/api/setup', { body })
    await openOrganization('welcome')
  }
  return (
    <SignInLayout title={t('Set up Pharos')} lead={t('You’ll own the organization and can invite others later.')}>
      <Form action={t('Create account')} onSubmit={submit} class={wideForm}>
        {owner.fields}
      </Form>
    </SignInLayout>
  )
}
