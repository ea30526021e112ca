import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useAbout, useMe } from '../../api/get.ts'
import { t, tx } from '../../lib/i18n.ts'
import { languages, switchLanguage } from '../../lib/language.ts'
import { applyTheme, rememberedTheme, type Theme, themeLabels } from '../../lib/theme.ts'
import { Form } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Memberships } from './memberships.tsx'
import { Passkeys } from './passkeys.tsx'
import { ChangePassword, Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

/** Settings of the user. */
export default function Account() {
  const me = useMe()
  const security = useQuery({ queryKey: ['security'], queryFn: () => userApp.GET('/app/api/me/security') })
  const about = useAbout()
  // Without a mail server no address can be confirmed.
  const canAdd = me.data?.user.emailVerified === true || about.data?.mail !== true
  return (
    <Page
      title={t('Your account')}
      lead={me.data ? t('You are signed in as {email}.', { email: me.data.user.email }) : undefined}
    >
      <QueryResult query={me}>
        {({ user, organizations }) => (
          <>
            <Section title={t('Profile')}>
              <Profile user={user} />
            </Section>
            <Section title={t('Password')}>
              <ChangePassword user={user} />
            </Section>
            <QueryResult query={security} lines={3}>
              {(known) => (
                <>
                  {!canAdd && <ConfirmAddress email={user.email} />}
                  <TwoFactor security={known} canAdd={canAdd} />
                  <Passkeys security={known} canAdd={canAdd} />
                </>
              )}
            </QueryResult>
            <Sessions />
            <Section title={t('Language')} lead={t('In every browser you sign in with')}>
              <LanguageChoice user={user} />
            </Section>
            <Section title={t('Theme')} lead={t('This browser only')}>
              <ThemeChoice />
            </Section>
            <Memberships organizations={organizations} userId={user.id} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(rememberedTheme)
  return (
    <SegmentedControl
      label={t('Theme')}
      value={theme}
      choices={choicesOf(themeLabels)}
      onValue={(next) => {
        applyTheme(next)
        setTheme(next)
      }}
    />
  )
}

/** Says why sign-in methods cannot be added yet, and sends the e-mail that confirms the address. */
function ConfirmAddress({ email }: { email: string }) {
  const [isSent, setSent] = useState(false)
  const send = async () => {
    await userApp.POST('/app/api/me/email-confirmation/request')
    setSent(true)
  }
  return (
    <Section title={t('E-mail')}>
      <InfoNotice>
        <Form
          action={isSent ? t('Resend e-mail') : t('Send confirmation e-mail')}
          look="plain"
          onSubmit={send}
          class="space-y-3"
          bar="flex"
        >
          <p role="status">
            {isSent
              ? tx('We’ve sent a link to {name}. Open it in this browser within 24 hours.', {
                  name: <strong>{email}</strong>,
                })
              : tx('Confirm your address {name} before you add an authenticator app or a passkey.', {
                  name: <strong>{email}</strong>,
                })}
          </p>
        </Form>
      </InfoNotice>
    </Section>
  )
}

type UserLanguage = AppSchemas['User']['language']

/** Saves the language with the user, so that it applies in every browser. */
function LanguageChoice({ user }: { user: AppSchemas['User'] }) {
  const queries = useQueryClient()
  const choose = async (language: UserLanguage) => {
    try {
      const saved = await userApp.PATCH('/app/api/me', { body: { language } })
      await queries.invalidateQueries({ queryKey: ['me'] })
      switchLanguage(saved.language)
    } catch (problem) {
      showToast((problem as Error).message)
    }
  }
  return (
    <select
      class="input w-auto"
      aria-label={t('Language')}
      value={user.language ?? ''}
      onChange={(event) => void choose((event.currentTarget.value || null) as UserLanguage)}
    >
      <option value="">{t('Language of the browser')}</option>
      {Object.entries(languages).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
