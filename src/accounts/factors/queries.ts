import type { DbWork } from '../../storage/query.ts'
import { createChallenge, dropChallengesOf } from './challenges.ts'
import { dropPasskeys, passkeysOf } from './passkey-queries.ts'
import { dropTotp, totpOf } from './totp-queries.ts'

export type Method = 'TOTP' | 'RECOVERY_CODE' | 'PASSKEY'

export interface Challenge {
  readonly token: string
  readonly methods: Method[]
}

/** What a password alone does not open: the question that is left, or undefined where there is none. */
export function* challengeFor(userId: string, now: number): DbWork<Challenge | undefined> {
  const totp = yield* totpOf(userId)
  if (totp === undefined || totp.confirmed_at === null) return undefined
  const passkeys = yield* passkeysOf(userId)
  const token = yield* createChallenge({ purpose: 'SECOND_FACTOR', userId, data: null }, now)
  return { token, methods: ['TOTP', 'RECOVERY_CODE', ...(passkeys.length > 0 ? (['PASSKEY'] as const) : [])] }
}

/** Takes all of them away; says whether there were any. */
export function* dropFactors(userId: string): DbWork<boolean> {
  yield* dropChallengesOf(userId)
  const hadTotp = yield* dropTotp(userId)
  const passkeys = yield* dropPasskeys(userId)
  return hadTotp || passkeys > 0
}
