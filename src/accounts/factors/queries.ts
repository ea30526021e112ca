import type { DbWork } from '../../storage/query.ts'
import { createChallenge, dropChallengesOf } from './challenges.ts'
import { dropPasskeys, passkeysOf } from './passkey-queries.ts'
import { dropTotp, totpOf } from './totp-queries.ts'

interface SecondFactorChallenge {
  readonly token: string
  readonly methods: ('TOTP' | 'RECOVERY_CODE' | 'PASSKEY')[]
}

/** Creates the challenge that must follow the password; undefined for a user without a second factor. */
export function* challengeFor(userId: string, now: number): DbWork<SecondFactorChallenge | undefined> {
  const totp = yield* totpOf(userId)
  if (totp === undefined || totp.confirmed_at === null) return undefined
  const passkeys = yield* passkeysOf(userId)
  const token = yield* createChallenge(userId, now)
  return { token, methods: ['TOTP', 'RECOVERY_CODE', ...(passkeys.length > 0 ? (['PASSKEY'] as const) : [])] }
}

/** Removes passkeys, authenticator app and recovery codes; returns whether there were any. */
export function* dropFactors(userId: string): DbWork<boolean> {
  yield* dropChallengesOf(userId)
  const hadTotp = yield* dropTotp(userId)
  const passkeys = yield* dropPasskeys(userId)
  return hadTotp || passkeys > 0
}
