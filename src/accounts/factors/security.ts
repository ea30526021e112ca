import type { Static } from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import { userWithId } from '../users/queries.ts'
import { passkeysOf } from './passkey-queries.ts'
import { renderPasskey, Security } from './schema.ts'
import { recoveryCodesLeft, totpOf } from './totp-queries.ts'

export const getSecurity = appOperation('getSecurity', {
  method: 'GET',
  path: '/me/security',
  tag: 'Account',
  summary: 'Get your sign-in methods',
  answer: { status: 200, schema: Security, description: 'Password, second factor and passkeys' },
  *handle({ signedIn: { userId } }) {
    return yield* securityOf(userId)
  },
})

export function* securityOf(userId: string): DbWork<Static<typeof Security>> {
  const user = yield* userWithId(userId)
  if (user === undefined) throw notFound('user')
  const confirmedAt = (yield* totpOf(userId))?.confirmed_at ?? null
  return {
    hasPassword: user.password_hash !== null,
    totp: confirmedAt === null ? null : { confirmedAt: isoTimestamp(confirmedAt) },
    recoveryCodesLeft: yield* recoveryCodesLeft(userId),
    passkeys: (yield* passkeysOf(userId)).map(renderPasskey),
  }
}
