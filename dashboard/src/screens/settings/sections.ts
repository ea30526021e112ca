import type { Role } from '../../api/organization.tsx'

export interface SettingsItem {
  readonly path: string
  readonly name: string
  readonly needs: Role
  /** Other words to find it by in the palette. */
  readonly words: string
}

/** The sections of the settings, in order. */
export const settingsItems: readonly SettingsItem[] = [
  { path: 'organization', name: 'Organization', needs: 'VIEWER', words: 'plan usage limits name' },
  { path: 'members', name: 'Members', needs: 'VIEWER', words: 'people team roles invitations users' },
  { path: 'contacts', name: 'Alert contacts', needs: 'VIEWER', words: 'notifications e-mail slack alerts' },
  { path: 'keys', name: 'API keys', needs: 'ADMIN', words: 'token' },
  { path: 'audit', name: 'Audit log', needs: 'ADMIN', words: 'history changes' },
  { path: 'account', name: 'Your account', needs: 'VIEWER', words: 'password passkey two-factor sessions profile' },
]
