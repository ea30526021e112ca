import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { unwrap, userApp } from '../../api/client.ts'
import { applyTheme, rememberedTheme, type Theme } from '../../lib/theme.ts'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Memberships } from './memberships.tsx'
import { Passkeys } from './passkeys.tsx'
import { ChangePassword, Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactor } from './two-factor.tsx'

/** Settings of the user. */
export default function Account() {
  const me = useQuery({ queryKey: ['me'], queryFn: () => unwrap(userApp.GET('/app/api/me')) })
  const security = useQuery({ queryKey: ['security'], queryFn: () => unwrap(userApp.GET('/app/api/me/security')) })
  return (
    <Page title="Your account" lead={me.data ? `You are signed in as ${me.data.user.email}.` : undefined}>
      <QueryResult query={me}>
        {({ user, organizations }) => (
          <>
            <Section title="Profile">
              <Profile user={user} />
            </Section>
            <Section title="Password">
              <ChangePassword user={user} />
            </Section>
            <QueryResult query={security} lines={3}>
              {(known) => (
                <>
                  <TwoFactor security={known} />
                  <Passkeys security={known} />
                </>
              )}
            </QueryResult>
            <Sessions />
            <Section title="Theme" lead="This browser only">
              <ThemeChoice />
            </Section>
            <Memberships organizations={organizations} />
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
      label="Theme"
      value={theme}
      choices={[
        { value: 'system', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
      onValue={(next) => {
        applyTheme(next)
        setTheme(next)
      }}
    />
  )
}
