import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { ApiError } from '../../contract/errors.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { reason } from '../../reasons/reason.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'

/** Loaded on first use: it is large, and a server without passkeys never needs it. */
const library = () => import('@simplewebauthn/server')

/** COSE ids of EdDSA, ES256 and RS256. */
const supportedAlgorithmIDs = [-8, -7, -257]

const TIMEOUT_MS = 5 * MINUTE_MS

/** Passkeys are bound to the public host name. Browsers create none for a bare IP address. */
export function relyingPartyOf(baseUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { id: hostname, origin }
  throw new ApiError('conflict', reason('passkey_needs_host'))
}

interface PasskeyOwner {
  readonly id: string
  readonly email: string
  readonly name: string
}

export async function creationOptions(
  baseUrl: string,
  owner: PasskeyOwner,
  passkeys: readonly PasskeyTable[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Pharos',
    rpID: relyingPartyOf(baseUrl).id,
    userID: new TextEncoder().encode(owner.id),
    userName: owner.email,
    userDisplayName: owner.name,
    timeout: TIMEOUT_MS,
    excludeCredentials: passkeys.map((passkey) => ({ id: passkey.credential_id, transports: transportsOf(passkey) })),
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export async function requestOptions(baseUrl: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(baseUrl).id,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  })
}

interface RegisteredCredential {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
  readonly transports: string
}

/** The new credential; undefined if the response does not verify against the challenge. */
export async function verifyRegistration(
  response: RegistrationResponseJSON,
  challenge: string,
  baseUrl: string,
): Promise<RegisteredCredential | undefined> {
  const { verifyRegistrationResponse } = await library()
  const { id, origin } = relyingPartyOf(baseUrl)
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    supportedAlgorithmIDs,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }))
  if (!verified || registrationInfo === undefined) return undefined
  const { credential } = registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports?.filter((part) => /^[a-z-]{1,20}$/.test(part)).slice(0, 10) ?? []),
  }
}

/** The passkey's new signature counter; undefined if the response does not verify against the challenge. */
export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  passkey: PasskeyTable,
  challenge: string,
  baseUrl: string,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { id, origin } = relyingPartyOf(baseUrl)
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
      transports: transportsOf(passkey),
    },
  }).catch(() => ({ verified: false as const, authenticationInfo: undefined }))
  return verified ? authenticationInfo?.newCounter : undefined
}

function transportsOf({ transports }: PasskeyTable): string[] {
  return parseStored(transports) as string[]
}
