import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { EmailField, TextField } from '../../ui/form.tsx'
import { PasswordField } from './password-field.tsx'

const blank = { email: '', password: '', organizationName: '', name: '' }

/** Fields of the first user of an organization, and their values. Without `asksPassword` the password is chosen later. */
export function useOwnerFields(asksPassword = true) {
  const [founder, setFounder] = useState(blank)
  const { name, password, ...rest } = founder
  const change = (field: keyof typeof blank) => (value: string) =>
    setFounder((before) => ({ ...before, [field]: value }))
  return {
    body: { ...rest, ...(name !== '' && { name }) },
    password,
    fields: <Fields founder={founder} change={change} asksPassword={asksPassword} />,
  }
}

interface FieldsProps {
  readonly founder: typeof blank
  readonly change: (field: keyof typeof blank) => (value: string) => void
  readonly asksPassword: boolean
}

function Fields({ founder, change, asksPassword }: FieldsProps) {
  return (
    <>
      <EmailField autoFocus value={founder.email} onValue={change('email')} />
      {asksPassword && <PasswordField isNew value={founder.password} onValue={change('password')} />}
      <TextField
        label={t('Organization')}
        path="organizationName"
        autocomplete="organization"
        required
        hint={t('Your company, team or project. You can rename it later.')}
        maxLength={120}
        value={founder.organizationName}
        onValue={change('organizationName')}
      />
      <TextField
        label={t('Your name (optional)')}
        path="name"
        autocomplete="name"
        maxLength={120}
        hint={t('Shown to other members')}
        value={founder.name}
        onValue={change('name')}
      />
    </>
  )
}
