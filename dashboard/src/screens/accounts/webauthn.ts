import { type AppSchemas, userApp } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'

/** Passkeys need https or localhost, and a browser that parses the server's JSON options. */
export function supportsPasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

type WebAuthnOptions = Readonly<Record<string, unknown>>

/** Signs in with a passkey. */
async function provePasskey(options: WebAuthnOptions): Promise<AppSchemas['CredentialUse']> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return read(await withReadableError(navigator.credentials.get({ publicKey })))
}

/** Creates a passkey. */
export async function createPasskey(options: WebAuthnOptions): Promise<AppSchemas['NewCredential']> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return read(await withReadableError(navigator.credentials.create({ publicKey })))
}

export async function signInWithPasskey() {
  const { token, options } = await userApp.POST('/app/api/sign-in/passkey/options', { body: {} })
  const response = await provePasskey(options as WebAuthnOptions)
  return await userApp.POST('/app/api/sign-in/passkey', { body: { token, response } })
}

function read<T>(credential: Credential | null): T {
  if (!(credential instanceof PublicKeyCredential)) throw new Error(t('The browser returned no passkey'))
  return credential.toJSON() as unknown as T
}

/** Replaces the browser's technical error messages. */
async function withReadableError<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : ''
    throw new Error(reasons[name] ?? t('The browser could not use the passkey'), { cause: thrown })
  }
}

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: t('Passkey sign-in was cancelled or timed out, or this device has no passkey for Pharos'),
  AbortError: t('Passkey request cancelled'),
  InvalidStateError: t('This device already has a passkey for your account'),
  SecurityError: t('Passkeys only work on the configured server URL, over HTTPS or on localhost'),
}
