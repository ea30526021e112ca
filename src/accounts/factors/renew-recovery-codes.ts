import { appNetworkOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import type { Sealer } from '../../lib/seal.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { recordUserChange } from '../members/queries.ts'
import { reauthentication, requireReauthentication } from './reauthenticate.ts'
import { newRecoveryCode, RECOVERY_CODE_COUNT } from './recovery-codes.ts'
import { ReauthenticationPassword, RecoveryCodes } from './schema.ts'
import { saveRecoveryCodes, totpOf } from './totp-queries.ts'

export const renewRecoveryCodes = appNetworkOperation('renewRecoveryCodes', {
  method: 'POST',
  path: '/me/recovery-codes',
  tag: 'Account',
  summary: 'Get new recovery codes',
  description: 'The old codes no longer work.',
  body: body('RenewRecoveryCodes', { password: ReauthenticationPassword }),
  bodyRequired: false,
  answer: { status: 200, schema: RecoveryCodes, description: 'The new codes' },
  errors: ['conflict', 'forbidden'],
  ...reauthentication({ allowRecentSignIn: false }),
  *save(context, _input, checked) {
    const { installation, requestId, now } = context
    const user = yield* requireReauthentication(context, checked)
    if ((yield* totpOf(user.id))?.confirmed_at == null) {
      throw new ApiError('conflict', reason('recovery_needs_totp'))
    }
    yield* recordUserChange(user, 'renewRecoveryCodes', requestId, now)
    return yield* issueRecoveryCodes(user.id, installation.sealer)
  },
})

/** Replaces the user's recovery codes. */
export function* issueRecoveryCodes(userId: string, sealer: Sealer): DbWork<{ recoveryCodes: string[] }> {
  const recoveryCodes = Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode)
  yield* saveRecoveryCodes(userId, recoveryCodes, sealer)
  return { recoveryCodes }
}
