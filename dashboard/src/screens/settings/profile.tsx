import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Form, NameField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { PasswordField } from '../accounts/password-field.tsx'

export function Profile({ user }: { user: AppSchemas['User'] }) {
  const queries = useQueryClient()
  const { refresh } = useOrganization()
  const [name, setName] = useState(user.name)
  const submit = async () => {
    await userApp.PATCH('/app/api/me', { body: { name } })
    await Promise.all([queries.invalidateQueries({ queryKey: ['me'] }), refresh('member')])
    showToast(t('Saved'))
  }
  return (
    <div class="card p-4">
      <Form action={t('Save name')} onSubmit={submit} class="space-y-4 sm:max-w-md" bar="flex">
        <NameField
          autocomplete="name"
          hint={t('Shown to other members and in the audit log')}
          value={name}
          onValue={setName}
        />
      </Form>
    </div>
  )
}

/** Changes the password. Users without one can set it shortly after signing in. */
export function ChangePassword({ user: { hasPassword, email } }: { user: AppSchemas['User'] }) {
  const queries = useQueryClient()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const submit = async () => {
    const body = { newPassword, ...(hasPassword && { currentPassword }) }
    await userApp.POST('/app/api/me/password', { body })
    setCurrent('')
    setNew('')
    await Promise.all(['me', 'security', 'sessions'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
    showToast(t('Password changed. Other sessions were signed out.'))
  }
  return (
    <div class="card p-4">
      <Form
        action={hasPassword ? t('Change password') : t('Set password')}
        onSubmit={submit}
        class="space-y-4 sm:max-w-md"
        bar="flex"
      >
        {/* For password managers. */}
        <input
          type="text"
          class="sr-only"
          autocomplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        {hasPassword && (
          <PasswordField
            label={t('Current password')}
            path="currentPassword"
            value={currentPassword}
            onValue={setCurrent}
          />
        )}
        <PasswordField isNew label={t('New password')} path="newPassword" value={newPassword} onValue={setNew} />
        <p class="text-xs text-muted">{t('Signs you out everywhere else.')}</p>
      </Form>
    </div>
  )
}
