import { MINUTE_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { hashToken } from '../../lib/tokens.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'

const LIFETIME_MS = 5 * MINUTE_MS
/** How much the clocks of two nodes may differ. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS

/** The bytes that a passkey has to sign, in base64url. */
interface PasskeyChallenge {
  readonly challenge: string
  readonly until: number
}

/**
 * Returns the token that the response must carry: the sealed challenge and its expiry. Nothing is stored until the challenge is used,
 * so requests for challenges cannot fill the database. A token opens only with the same context.
 */
export function sealPasskeyChallenge(sealer: Sealer, challenge: string, context: string, now: number): string {
  const sealed: PasskeyChallenge = { challenge, until: now + LIFETIME_MS }
  return sealer.seal(JSON.stringify(sealed), `passkey challenge\n${context}`)
}

/** Undefined if the token is forged, was sealed for another context, has expired, or its challenge was used. */
export function* openPasskeyChallenge(
  sealer: Sealer,
  token: string,
  context: string,
  now: number,
): DbWork<string | undefined> {
  const opened = open(sealer, token, context)
  if (opened === undefined || opened.until <= now) return undefined
  return (yield* first(used, { hash: hashOf(opened.challenge) })) === undefined ? opened.challenge : undefined
}

function open(sealer: Sealer, token: string, context: string): PasskeyChallenge | undefined {
  try {
    return JSON.parse(sealer.open(token, `passkey challenge\n${context}`)) as PasskeyChallenge
  } catch {
    return undefined
  }
}

const used = statement(({ hash }: { hash: string }) =>
  q.selectFrom('challenges').select('hash').where('hash', '=', hash),
)

const insertUsed = statement(({ hash, expiresAt }: { hash: string; expiresAt: number }) =>
  q
    .insertInto('challenges')
    .values({ hash, purpose: 'USED_PASSKEY', user_id: null, data: null, failures: 0, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

/** Called in the transaction of a successful use. False if the challenge was used before. */
export function* usePasskeyChallenge(challenge: string, now: number): DbWork<boolean> {
  const expiresAt = now + LIFETIME_MS + MAX_CLOCK_SKEW_MS
  return (yield* run(insertUsed, { hash: hashOf(challenge), expiresAt })) === 1
}

/** Of the challenge and not of the token: several texts decode to the same sealed bytes. */
function hashOf(challenge: string): string {
  return hashToken(`passkey challenge ${challenge}`)
}
