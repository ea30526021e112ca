import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import Type, { type Static } from 'typebox'
import { nullable, resource, singleLine, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'
import { CurrentPassword } from '../users/schema.ts'

export const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'As typed; spaces are ignored',
})

export const ChallengeToken = Type.String({ minLength: 1, maxLength: 200, description: 'Valid for five minutes' })

export const ReauthenticationPassword = Type.Optional(
  Type.With(CurrentPassword, {
    description:
      'The password of the account. A user without one, or who omits it where that is permitted, must have ' +
      'signed in within the last 10 minutes.',
  }),
)

export const PasskeyName = singleLine({ minLength: 1, maxLength: 120, description: 'A name to recognize it' })

export const Passkey = resource('Passkey', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: nullable(Timestamp),
})

export function renderPasskey({
  id,
  name,
  created_at: createdAt,
  last_used_at: usedAt,
}: PasskeyTable): Static<typeof Passkey> {
  return { id, name, createdAt: isoTimestamp(createdAt), lastUsedAt: isoTimestampOrNull(usedAt) }
}

export const Security = resource('Security', {
  hasPassword: Type.Boolean(),
  totp: nullable(Type.Object({ confirmedAt: Timestamp }), {
    description: 'When the authenticator app was confirmed; null without one',
  }),
  recoveryCodesLeft: Type.Integer(),
  passkeys: Type.Array(Passkey, { description: 'Oldest first' }),
})

export const RecoveryCodes = resource('RecoveryCodes', {
  recoveryCodes: Type.Array(Type.String(), { description: 'Each code works once. They are not shown again.' }),
})

/** More than an authenticator sends if no attestation is requested. All of them fit into the body of an account operation. */
const Bytes = { type: 'string', minLength: 1, maxLength: 3_500, description: 'base64url' }
/** A credential id has at most 1,023 bytes. */
const CredentialId = { ...Bytes, maxLength: 1_400 }
const credential = (title: string, parts: readonly string[]) => ({
  title,
  type: 'object',
  required: ['id', 'rawId', 'type', 'response'],
  properties: {
    id: CredentialId,
    rawId: CredentialId,
    type: { type: 'string', enum: ['public-key'] },
    response: {
      type: 'object',
      required: [...parts],
      properties: Object.fromEntries(parts.map((part) => [part, Bytes])),
    },
  },
})

/** The output of `PublicKeyCredential.toJSON()`. */
export const NewCredential = Type.Unsafe<RegistrationResponseJSON>(
  credential('NewCredential', ['clientDataJSON', 'attestationObject']),
)
export const CredentialUse = Type.Unsafe<AuthenticationResponseJSON>(
  credential('CredentialUse', ['clientDataJSON', 'authenticatorData', 'signature']),
)

const options = (title: string, method: string) => ({
  title,
  type: 'object',
  required: ['challenge'],
  properties: { challenge: { type: 'string' } },
  additionalProperties: true,
  description: `For \`PublicKeyCredential.${method}()\``,
})

export const CreationOptions = Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(
  options('PasskeyCreationOptions', 'parseCreationOptionsFromJSON'),
)
export const RequestOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(
  options('PasskeyRequestOptions', 'parseRequestOptionsFromJSON'),
)
