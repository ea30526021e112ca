import { useState } from 'preact/hooks'
import { userApp } from '../../api/client.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Form } from '../../ui/form.tsx'
import { InfoNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'

/** Says why sign-in methods cannot be added yet, and sends the e-mail that confirms the address. */
export function ConfirmAddress({ email }: { email: string }) {
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
