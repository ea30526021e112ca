import Type, { type Static } from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { body, Deleted } from '../../contract/schema.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'
import { recordUserChange } from '../members/queries.ts'
import { dropPasskey, renamePasskeyOf } from './passkey-queries.ts'
import { Passkey, PasskeyName } from './schema.ts'

const params = Type.Object({ passkeyId: Type.String() })

export const renamePasskey = appOperation('renamePasskey', {
  method: 'POST',
  path: '/me/passkeys/:passkeyId/rename',
  tag: 'Account',
  summary: 'Rename a passkey',
  params,
  body: body('RenamePasskey', { name: PasskeyName }),
  answer: { status: 200, schema: Passkey, description: 'The updated passkey' },
  errors: ['not_found'],
  *handle({ signedIn: { userId } }, { params: { passkeyId }, body: { name } }) {
    const passkey = yield* renamePasskeyOf(userId, passkeyId, name.trim() || name)
    if (passkey === undefined) throw notFound('passkey')
    return renderPasskey(passkey)
  },
})

export const deletePasskey = appOperation('deletePasskey', {
  method: 'DELETE',
  path: '/me/passkeys/:passkeyId',
  tag: 'Account',
  summary: 'Remove a passkey',
  description: 'It can no longer be used to sign in. Sessions continue.',
  params,
  answer: { status: 200, schema: Deleted, description: 'The passkey was removed' },
  errors: ['not_found'],
  *handle({ signedIn, requestId, now }, { params: { passkeyId } }) {
    if (!(yield* dropPasskey(signedIn.userId, passkeyId))) throw notFound('passkey')
    yield* recordUserChange({ id: signedIn.userId, name: signedIn.name }, 'deletePasskey', requestId, now)
    return { data: { id: passkeyId } }
  },
})

export function renderPasskey({
  id,
  name,
  created_at: createdAt,
  last_used_at: usedAt,
}: PasskeyTable): Static<typeof Passkey> {
  return { id, name, createdAt: isoTimestamp(createdAt), lastUsedAt: isoTimestampOrNull(usedAt) }
}
