import { ChevronsUpDown } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { AppSchemas } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { t } from '../lib/i18n.ts'
import { applyTheme, rememberedTheme, type Theme, themeLabels } from '../lib/theme.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { choicesOf } from '../ui/select.tsx'
import { useSignOut } from './sign-out.ts'

/** Switches organization and theme, and signs out. */
export function UserMenu({ me }: { me: AppSchemas['Me'] }) {
  const { organization } = useOrganization()
  const [, navigate] = useLocation()
  const [theme, setTheme] = useState(rememberedTheme)
  const signOut = useSignOut()
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  return (
    <Menu
      label={t('{name}: organizations, theme, sign out', { name: organization.name })}
      class="button button-quiet w-full justify-start"
      button={
        <>
          <span class="min-w-0 truncate text-base font-semibold">{organization.name}</span>
          <ChevronsUpDown class="ms-auto shrink-0 text-muted" />
        </>
      }
    >
      <p class="max-w-64 truncate px-3 py-1.5 text-muted">{me.user.email}</p>
      {me.organizations.length > 1 && <p class="px-3 pt-2 text-xs text-muted">{t('Organizations')}</p>}
      {me.organizations.length > 1 &&
        me.organizations.map(({ id, slug, name }) => (
          <MenuItem key={id} onClick={() => navigate(`~/o/${slug}/`)}>
            {id === organization.id ? '✓ ' : ''}
            {name}
          </MenuItem>
        ))}
      <hr class="my-1 border-line" />
      <MenuItem onClick={() => navigate('/settings/account')}>{t('Your account')}</MenuItem>
      <p class="px-3 pt-2 text-xs text-muted">{t('Theme')}</p>
      {choicesOf(themeLabels).map(({ value, label }) => (
        <MenuItem key={value} onClick={() => choose(value)}>
          {theme === value ? '✓ ' : ''}
          {label}
        </MenuItem>
      ))}
      <hr class="my-1 border-line" />
      <MenuItem onClick={signOut}>{t('Sign out')}</MenuItem>
    </Menu>
  )
}
