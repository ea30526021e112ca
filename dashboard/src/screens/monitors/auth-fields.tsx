import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { SelectField, TextField } from '../../ui/form.tsx'
import { type Auth, authIn, withAuth } from './auth-headers.ts'
import type { FieldsProps } from './target-fields.tsx'

const kinds: readonly { readonly value: Auth['kind']; readonly label: string }[] = [
  { value: 'none', label: t('None') },
  { value: 'basic', label: t('Basic (user and password)') },
  { value: 'bearer', label: t('Bearer token') },
  { value: 'header', label: t('Custom header') },
]

const empty: Readonly<Record<Auth['kind'], Auth>> = {
  none: { kind: 'none' },
  basic: { kind: 'basic', user: '', password: '' },
  bearer: { kind: 'bearer', token: '' },
  header: { kind: 'header', name: t('X-API-Key'), value: '' },
}

/** Presets that fill in a request header. */
export function AuthFields({ draft, set }: FieldsProps) {
  const [auth, setAuth] = useState<Auth>(() => authIn(draft.requestHeaders))
  const change = (next: Auth) => {
    set({ requestHeaders: withAuth(draft.requestHeaders, auth, next) })
    setAuth(next)
  }
  const secret = { autocomplete: 'off', spellcheck: false, maxLength: 8000 } as const
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <div class="sm:col-span-2">
        <SelectField
          label={t('Authentication')}
          path="authentication"
          value={auth.kind}
          onValue={(kind) => change(empty[kind])}
          choices={kinds}
          hint={auth.kind === 'none' ? undefined : t('Fills in the request headers below')}
        />
      </div>
      {auth.kind === 'basic' && (
        <>
          <TextField
            label={t('User')}
            path="authUser"
            value={auth.user}
            {...secret}
            onValue={(user) => change({ ...auth, user })}
          />
          <TextField
            label={t('Password')}
            path="authPassword"
            value={auth.password}
            {...secret}
            type="password"
            autocomplete="new-password"
            onValue={(password) => change({ ...auth, password })}
          />
        </>
      )}
      {auth.kind === 'bearer' && (
        <div class="sm:col-span-2">
          <TextField
            label={t('Token')}
            path="authToken"
            value={auth.token}
            {...secret}
            onValue={(token) => change({ ...auth, token })}
          />
        </div>
      )}
      {auth.kind === 'header' && (
        <>
          <TextField
            label={t('Header name')}
            path="authHeaderName"
            value={auth.name}
            {...secret}
            onValue={(name) => change({ ...auth, name })}
          />
          <TextField
            label={t('Header value')}
            path="authHeaderValue"
            value={auth.value}
            {...secret}
            onValue={(value) => change({ ...auth, value })}
          />
        </>
      )}
    </div>
  )
}
