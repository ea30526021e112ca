import { useMemo, useState } from 'preact/hooks'
import { encode } from 'uqr'
import { type AppSchemas, userApp } from '../../api/client.ts'
import { dayOf } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Reauthenticate, useRefetchSecurity } from './reauthenticate.tsx'

type Security = AppSchemas['Security']
type Open = 'start' | 'remove' | 'renew'

const LOW_CODE_COUNT = 3

/** Authenticator app settings. */
export function TwoFactor({ security, canAdd }: { security: Security; canAdd: boolean }) {
  const [open, setOpen] = useState<Open | null>(null)
  const { totp, hasPassword, recoveryCodesLeft } = security
  const close = () => setOpen(null)
  return (
    <Section
      title={t('Two-factor authentication')}
      lead={t('Requires a code from an authenticator app after your password.')}
    >
      <div class="card flex flex-wrap items-center gap-x-6 gap-y-3 p-4">
        <div class="min-w-0 grow basis-64">
          <p class={`font-medium ${totp === null ? '' : 'text-up-text'}`}>
            {totp === null ? t('Off') : t('On since {confirmedAt}', { confirmedAt: dayOf(totp.confirmedAt) })}
          </p>
          {totp === null ? (
            <p class="text-muted">{t('Anyone who knows your password can sign in.')}</p>
          ) : (
            <p class={recoveryCodesLeft <= LOW_CODE_COUNT ? 'text-degraded-text' : 'text-muted'}>
              {tx('{recoveryCodesLeft} left', { recoveryCodesLeft: plural(recoveryCodesLeft, 'recovery code') })}
              {recoveryCodesLeft <= LOW_CODE_COUNT ? t(': create new ones soon') : ''}
            </p>
          )}
        </div>
        {totp === null ? (
          canAdd && <Button onClick={() => setOpen('start')}>{t('Set up authenticator app')}</Button>
        ) : (
          <div class="flex flex-wrap gap-2">
            <Button onClick={() => setOpen('renew')}>{t('New recovery codes')}</Button>
            <Button look="danger" onClick={() => setOpen('remove')}>
              {t('Turn off')}
            </Button>
          </div>
        )}
      </div>
      {open === 'start' && <Start hasPassword={hasPassword} onClose={close} />}
      {open === 'renew' && <Renew hasPassword={hasPassword} onClose={close} />}
      {open === 'remove' && <Remove hasPassword={hasPassword} onClose={close} />}
    </Section>
  )
}

interface StepProps {
  readonly hasPassword: boolean
  readonly onClose: () => void
}

/** Steps: reauthenticate, scan the secret, confirm a code, save the recovery codes. */
function Start({ hasPassword, onClose }: StepProps) {
  const refetchSecurity = useRefetchSecurity()
  const [secret, setSecret] = useState<AppSchemas['TotpSecret'] | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = () => {
    onClose()
    void refetchSecurity()
  }
  return (
    <Dialog
      title={codes === null ? t('Set up two-factor authentication') : t('Your recovery codes')}
      onClose={close}
      shownOnce={codes === null ? undefined : t('Have you saved the recovery codes?')}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={close} />
      ) : secret !== null ? (
        <ShowSecret secret={secret} onCodes={setCodes} onCancel={onClose} />
      ) : (
        <Reauthenticate
          hasPassword={hasPassword}
          action={t('Continue')}
          onProof={async (body) => setSecret(await userApp.POST('/app/api/me/totp', { body }))}
          onCancel={onClose}
        >
          <p>{t('You need an authenticator app on your phone or a password manager that supports codes.')}</p>
        </Reauthenticate>
      )}
    </Dialog>
  )
}

interface ShowSecretProps {
  readonly secret: AppSchemas['TotpSecret']
  readonly onCodes: (codes: readonly string[]) => void
  readonly onCancel: () => void
}

function ShowSecret({ secret: { secret, uri }, onCodes, onCancel }: ShowSecretProps) {
  const [code, setCode] = useState('')
  const submit = async () => {
    const { recoveryCodes } = await userApp.POST('/app/api/me/totp/confirm', { body: { code } })
    onCodes(recoveryCodes)
  }
  return (
    <Form action={t('Turn on')} onSubmit={submit} onCancel={onCancel}>
      <div class="flex flex-wrap items-center gap-5">
        <QrCode text={uri} label={t('QR code for the authenticator app')} />
        <div class="min-w-0 grow basis-48 space-y-3">
          <p>{t('Scan this code with the app, or enter the key:')}</p>
          <p class="flex items-center gap-1 font-mono text-xs">
            <span data-secret>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</span>
            <CopyButton text={secret} label={t('Copy key')} />
          </p>
          <a class="link" href={uri}>
            {t('Open in an app on this device')}
          </a>
        </div>
      </div>
      <TextField
        label={t('Code from the app')}
        path="code"
        required
        autocomplete="one-time-code"
        inputMode="numeric"
        placeholder="123456"
        value={code}
        onValue={setCode}
      />
    </Form>
  )
}

function Renew({ hasPassword, onClose }: StepProps) {
  const refetchSecurity = useRefetchSecurity()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const renew = async (body: { password?: string }) => {
    const { recoveryCodes } = await userApp.POST('/app/api/me/recovery-codes', { body })
    setCodes(recoveryCodes)
    await refetchSecurity()
  }
  return (
    <Dialog
      title={codes === null ? t('New recovery codes') : t('Your recovery codes')}
      onClose={onClose}
      shownOnce={codes === null ? undefined : t('Have you saved the recovery codes?')}
    >
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <Reauthenticate hasPassword={hasPassword} action={t('Create new codes')} onProof={renew} onCancel={onClose}>
          <p>{t('All existing recovery codes stop working.')}</p>
        </Reauthenticate>
      )}
    </Dialog>
  )
}

function Remove({ hasPassword, onClose }: StepProps) {
  const refetchSecurity = useRefetchSecurity()
  const remove = async (body: { password?: string }) => {
    await userApp.POST('/app/api/me/totp/remove', { body })
    await refetchSecurity()
    showToast(t('Two-factor authentication is off'))
    onClose()
  }
  return (
    <Dialog title={t('Turn off two-factor authentication?')} onClose={onClose}>
      <Reauthenticate
        hasPassword={hasPassword}
        action={t('Turn off')}
        look="danger"
        onProof={remove}
        onCancel={onClose}
      >
        <p>{t('You’ll sign in with only your password. Your recovery codes are deleted.')}</p>
      </Reauthenticate>
    </Dialog>
  )
}

/** Shown once, after creation. */
function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Recovery codes for Pharos (${window.location.host})\n\n${text}\n`)}`
  return (
    <div class="space-y-4">
      <p>
        {tx('Store these codes somewhere safe. Each one lets you sign in once without your app. {name}', {
          name: <strong>{t('They won’t be shown again.')}</strong>,
        })}
      </p>
      <CodeBlock text={text} label={t('Recovery codes')} />
      <div class="flex flex-wrap justify-end gap-2">
        <a class="button" href={file} download="pharos-recovery-codes.txt">
          {t('Download')}
        </a>
        <Button look="primary" onClick={onClose}>
          {t('I’ve saved them')}
        </Button>
      </div>
    </div>
  )
}

/** Light modules around the code, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4

/** A QR code, dark on light in both themes, because some cameras cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = useMemo(() => encode(text, { ecc: 'M', border: QUIET_ZONE }), [text])
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      class="size-52 shrink-0 rounded-md border border-line"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
