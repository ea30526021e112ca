import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { Deleted } from '../../contract/schema.ts'
import { recordUserChange } from '../members/queries.ts'
import { dropPasskey } from './passkey-queries.ts'

export const deletePasskey = appOperation('deletePasskey', {
  method: 'DELETE',
  path: '/me/passkeys/:passkeyId',
  tag: 'Account',
  summary: 'Remove a passkey',
  description: 'It can no longer be used to sign in. Sessions continue.',
  params: Type.Object({ passkeyId: Type.String() }),
  answer: { status: 200, schema: Deleted, description: 'The passkey was removed' },
  errors: ['not_found'],
  *handle({ signedIn, requestId, now }, { params: { passkeyId } }) {
    if (!(yield* dropPasskey(signedIn.userId, passkeyId))) throw notFound('passkey')
    yield* recordUserChange({ id: signedIn.userId, name: signedIn.name }, 'deletePasskey', requestId, now)
    return { data: { id: passkeyId } }
  },
})
