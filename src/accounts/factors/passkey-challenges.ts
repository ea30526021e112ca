import { MINUTE_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'
import { hashToken } from '../../lib/tokens.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'

const LIFETIME_MS = 5 * MINUTE_MS
/** How much the clocks of two nodes may differ. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS

/**
 * Returns the token that the response must carry: the sealed challenge and its expiry. Nothing is stored until the challenge is used,
 * so requests for challenges cannot fill the database. A token opens only with the same context.
 */
export function sealPasskeyChallenge(sealer: Sealer, challenge: string, context: string, now: number): string {
  return sealToken(sealer, [challenge, now + LIFETIME_MS], contextOf(context))
}

/** Undefined if the token is forged, was sealed for another context, has expired, or its challenge was used. */
export function* openPasskeyChallenge(
  sealer: Sealer,
  token: string,
  context: string,
  now: number,
): DbWork<string | undefined> {
  const [challenge, until] = openToken(token, sealer, contextOf(context))
  if (challenge === undefined || Number(until) <= now) return undefined
  const [used] = yield* execute(q.selectFrom('challenges').select('hash').where('hash', '=', hashOf(challenge)))
  return used === undefined ? challenge : undefined
}

function contextOf(context: string): string {
  return `passkey challenge\n${context}`
}

/** Called in the transaction of a successful use. False if the challenge was used before. */
export function* usePasskeyChallenge(challenge: string, now: number): DbWork<boolean> {
  const expiresAt = now + LIFETIME_MS + MAX_CLOCK_SKEW_MS
  const used = yield* execute(
    q
      .insertInto('challenges')
      .values({ hash: hashOf(challenge), purpose: 'USED_PASSKEY', user_id: null, failures: 0, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .returning('hash'),
  )
  return used.length === 1
}

/** Of the challenge and not of the token: several texts decode to the same sealed bytes. */
function hashOf(challenge: string): string {
  return hashToken(`passkey challenge ${challenge}`)
}
