import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { answer, userApp } from '../../api/client.ts'
import { applyTheme, rememberedTheme, type Theme } from '../../lib/theme.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Belonging } from './belonging.tsx'
import { Passkeys } from './passkeys.tsx'
import { ChangePassword, Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { TwoStep } from './two-step.tsx'

/** What concerns only whoever is signed in. */
export default function Account() {
  const me = useQuery({ queryKey: ['me'], queryFn: () => answer(userApp.GET('/app/api/me')) })
  const security = useQuery({ queryKey: ['security'], queryFn: () => answer(userApp.GET('/app/api/me/security')) })
  return (
    <Page title="Your account" lead={me.data ? `You are signed in as ${me.data.user.email}.` : undefined}>
      <Loaded query={me}>
        {({ user, organizations }) => (
          <>
            <Section title="Profile">
              <Profile user={user} />
            </Section>
            <Section title="Password">
              <ChangePassword user={user} />
            </Section>
            <Loaded query={security} lines={3}>
              {(known) => (
                <>
                  <TwoStep security={known} />
                  <Passkeys security={known} />
                </>
              )}
            </Loaded>
            <Sessions />
            <Section title="Theme" lead="Of this browser.">
              <ThemeChoice />
            </Section>
            <Belonging organizations={organizations} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(rememberedTheme)
  return (
    <Segments
      label="Theme"
      value={theme}
      choices={[
        { value: 'system', label: 'As the system' },
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
