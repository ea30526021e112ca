import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { renamePasskeyOf } from './passkey-queries.ts'
import { Passkey, PasskeyName, renderPasskey } from './schema.ts'

export const renamePasskey = appOperation('renamePasskey', {
  method: 'POST',
  path: '/me/passkeys/:passkeyId/rename',
  tag: 'Account',
  summary: 'Rename a passkey',
  params: Type.Object({ passkeyId: Type.String() }),
  body: body('RenamePasskey', { name: PasskeyName }),
  answer: { status: 200, schema: Passkey, description: 'The updated passkey' },
  errors: ['not_found'],
  *handle({ signedIn: { userId } }, { params: { passkeyId }, body: { name } }) {
    const passkey = yield* renamePasskeyOf(userId, passkeyId, name.trim() || name)
    if (passkey === undefined) throw notFound('passkey')
    return renderPasskey(passkey)
  },
})
