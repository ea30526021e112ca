import { appErrand } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Work } from '../../storage/query.ts'
import { recordOfUser } from '../members/queries.ts'
import { askProof, requireProof, weigh } from './reauthenticate.ts'
import { newRecoveryCode, RECOVERY_CODES } from './recovery-codes.ts'
import { ProofPassword, RecoveryCodes } from './schema.ts'
import { saveRecoveryCodes, totpOf } from './totp-queries.ts'

export const renewRecoveryCodes = appErrand('renewRecoveryCodes', {
  method: 'POST',
  path: '/me/recovery-codes',
  access: 'write',
  tag: 'Account',
  summary: 'Get new recovery codes',
  description: 'The old ones work no longer.',
  body: body('RenewRecoveryCodes', { password: ProofPassword }),
  bodyRequired: false,
  answer: { status: 200, schema: RecoveryCodes, description: 'The new codes' },
  errors: ['conflict', 'forbidden'],
  ask: (visit, { body: { password } }) => askProof(visit, { password, orRecent: false }),
  run: weigh,
  *land(visit, _input, weighed) {
    const { installation, requestId, now } = visit
    const user = yield* requireProof(visit, weighed)
    if ((yield* totpOf(user.id))?.confirmed_at == null) {
      throw new ApiError('conflict', 'Recovery codes stand in for an authenticator app, and you use none')
    }
    yield* recordOfUser(user, 'renewRecoveryCodes', requestId, now)
    return yield* newCodes(user.id, installation.sealer)
  },
})

/** In place of those there were. */
export function* newCodes(userId: string, sealer: Sealer): Work<{ recoveryCodes: string[] }> {
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  yield* saveRecoveryCodes(userId, recoveryCodes, sealer)
  return { recoveryCodes }
}
