import { useState } from 'preact/hooks'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Form, NameField } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { createPasskey, supportsPasskeys } from '../accounts/webauthn.ts'
import { describeBrowser } from './describe-browser.ts'
import { Reauthenticate, useRefetchSecurity } from './reauthenticate.tsx'
import { Facts, Row, Rows } from './rows.tsx'

type Passkey = AppSchemas['Passkey']
type Open = { readonly what: 'add' } | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey }

interface PasskeysProps {
  readonly security: AppSchemas['Security']
  readonly canAdd: boolean
}

/** Passkeys of the user. */
export function Passkeys({ security: { passkeys, hasPassword }, canAdd }: PasskeysProps) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <Section
      title={t('Passkeys')}
      lead={t('Sign in with your fingerprint, face or device PIN instead of a password.')}
      actions={
        canAdd && supportsPasskeys() && <Button onClick={() => setOpen({ what: 'add' })}>{t('Add passkey')}</Button>
      }
    >
      {passkeys.length === 0 ? (
        <p class="card p-4 text-muted">
          {supportsPasskeys() ? t('No passkeys yet.') : t('Passkeys need HTTPS or localhost.')}
        </p>
      ) : (
        <Rows label={t('Passkeys')}>
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onOpen={(what) => setOpen({ what, passkey })} />
          ))}
        </Rows>
      )}
      {open?.what === 'add' && <Add hasPassword={hasPassword} onClose={close} />}
      {open?.what === 'rename' && <Rename passkey={open.passkey} onClose={close} />}
      {open?.what === 'remove' && <Remove passkey={open.passkey} onClose={close} />}
    </Section>
  )
}

function PasskeyRow({ passkey, onOpen }: { passkey: Passkey; onOpen: (what: 'rename' | 'remove') => void }) {
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <Row
      title={name}
      details={
        <Facts>
          {[
            tx('added {time}', { time: <RelativeTime at={createdAt} /> }),
            tx('last used {time}', { time: <RelativeTime at={lastUsedAt} /> }),
          ]}
        </Facts>
      }
      actions={
        <>
          <Button aria-label={t('Rename {name}', { name })} onClick={() => onOpen('rename')}>
            {t('Rename')}
          </Button>
          <Button look="danger" aria-label={t('Remove {name}', { name })} onClick={() => onOpen('remove')}>
            {t('Remove')}
          </Button>
        </>
      }
    />
  )
}

function Add({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const refetchSecurity = useRefetchSecurity()
  const [name, setName] = useState(() => describeBrowser(navigator.userAgent))
  const add = async (proof: { password?: string }) => {
    const { token, options } = await userApp.POST('/app/api/me/passkeys/options', { body: proof })
    const response = await createPasskey(options)
    await userApp.POST('/app/api/me/passkeys', { body: { token, name, response } })
    await refetchSecurity()
    showToast(t('Passkey {name} added', { name }))
    onClose()
  }
  return (
    <Dialog title={t('Add passkey')} onClose={onClose}>
      <Reauthenticate hasPassword={hasPassword} action={t('Add')} onProof={add} onCancel={onClose}>
        <NameField
          hint={t('For example the device or password manager that stores it')}
          value={name}
          onValue={setName}
        />
      </Reauthenticate>
    </Dialog>
  )
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const refetchSecurity = useRefetchSecurity()
  const [name, setName] = useState(passkey.name)
  const rename = async () => {
    const path = { passkeyId: passkey.id }
    await userApp.POST('/app/api/me/passkeys/{passkeyId}/rename', { path, body: { name } })
    await refetchSecurity()
    onClose()
  }
  return (
    <Dialog title={t('Rename passkey')} onClose={onClose}>
      <Form action={t('Rename')} onSubmit={rename} onCancel={onClose}>
        <NameField autoFocus value={name} onValue={setName} />
      </Form>
    </Dialog>
  )
}

function Remove({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const refetchSecurity = useRefetchSecurity()
  const remove = async () => {
    await userApp.DELETE('/app/api/me/passkeys/{passkeyId}', { path: { passkeyId: id } })
    await refetchSecurity()
    showToast(t('Passkey {name} removed', { name }))
  }
  return (
    <Confirm title={t('Remove {name}?', { name })} action={t('Remove')} onConfirm={remove} onClose={onClose}>
      {t('You can no longer sign in with it. Delete it on your device too.')}
    </Confirm>
  )
}
