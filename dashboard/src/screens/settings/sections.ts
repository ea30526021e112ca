import type { Role } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'

interface SettingsItem {
  readonly path: string
  readonly name: string
  readonly needs: Role
  /** Other words to find it by in the palette. */
  readonly words: string
}

/** The sections of the settings, in order. */
export const settingsItems: readonly SettingsItem[] = [
  { path: 'organization', name: t('Organization'), needs: 'VIEWER', words: t('plan usage limits name') },
  { path: 'members', name: t('Members'), needs: 'VIEWER', words: t('people team roles invitations users') },
  { path: 'contacts', name: t('Alert contacts'), needs: 'VIEWER', words: t('notifications e-mail slack alerts') },
  { path: 'import', name: t('Import'), needs: 'MEMBER', words: 'kuma gatus uptimerobot healthchecks' },
  {
    path: 'shadow-run',
    name: t('Shadow run'),
    needs: 'MEMBER',
    words: t('import compare kuma gatus uptimerobot migrate'),
  },
  { path: 'keys', name: t('API keys'), needs: 'ADMIN', words: 'token' },
  { path: 'audit', name: t('Audit log'), needs: 'ADMIN', words: t('history changes') },
  {
    path: 'account',
    name: t('Your account'),
    needs: 'VIEWER',
    words: t('password passkey two-factor sessions profile'),
  },
]
