import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { userApp } from '../../api/client.ts'
import { useAbout, useMe } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { applyTheme, rememberedTheme, type Theme } from '../../lib/theme.ts'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { ConfirmAddress } from './confirm-address.tsx'
import { LanguageChoice } from './language-choice.tsx'
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
      choices={[
        { value: 'system', label: t('System') },
        { value: 'light', label: t('Light') },
        { value: 'dark', label: t('Dark') },
      ]}
      onValue={(next) => {
        applyTheme(next)
        setTheme(next)
      }}
    />
  )
}
