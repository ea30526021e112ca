import type { Sealer } from '../../lib/seal.ts'
import { findTotpStep } from '../../lib/totp.ts'
import { all, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { RecoveryCodeTable, TotpTable } from '../../storage/schema/factors.ts'
import { normalizeRecoveryCode } from './recovery-codes.ts'

const ofUser = statement(({ userId }: { userId: string }) =>
  q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId),
)

export function* totpOf(userId: string): DbWork<TotpTable | undefined> {
  return yield* first(ofUser, { userId })
}

const forUpdate = statement(({ userId }: { userId: string }) =>
  q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId).forUpdate(),
)

const upsertSecret = statement(({ userId, secret, now }: { userId: string; secret: string; now: number }) =>
  q
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret, created_at: now, confirmed_at: null, last_step: 0 })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ secret, created_at: now })),
)

/** Saves an unconfirmed secret, replacing an earlier unconfirmed one. */
export function* saveTotpSecret(userId: string, secret: Buffer, sealer: Sealer, now: number): DbWork<void> {
  yield* run(upsertSecret, { userId, secret: sealer.seal(secret.toString('base64'), sealContextOf(userId)), now })
}

/** Bound into the sealed value, so that it opens only for this user. */
function sealContextOf(userId: string): string {
  return `totp ${userId}`
}

const setStep = statement(({ userId, step }: { userId: string; step: number }) =>
  q.updateTable('totp_secrets').set({ last_step: step }).where('user_id', '=', userId),
)

/** Whether the code is valid now and newer than the last used one; marks it used. */
export function* useTotpCode(userId: string, code: string, sealer: Sealer, now: number): DbWork<boolean> {
  const row = yield* first(forUpdate, { userId })
  if (row === undefined) return false
  const secret = Buffer.from(sealer.open(row.secret, sealContextOf(userId)), 'base64')
  const step = findTotpStep(code.replace(/\s/g, ''), secret, now, row.last_step)
  if (step === undefined) return false
  yield* run(setStep, { userId, step })
  return true
}

const confirm = statement(({ userId, now }: { userId: string; now: number }) =>
  q.updateTable('totp_secrets').set({ confirmed_at: now }).where('user_id', '=', userId),
)

export function* confirmTotpSecret(userId: string, now: number): DbWork<void> {
  yield* run(confirm, { userId, now })
}

const drop = statement(({ userId }: { userId: string }) => q.deleteFrom('totp_secrets').where('user_id', '=', userId))

/** Also deletes the recovery codes. */
export function* dropTotp(userId: string): DbWork<boolean> {
  yield* run(dropCodes, { userId })
  return (yield* run(drop, { userId })) === 1
}

const dropCodes = statement(({ userId }: { userId: string }) =>
  q.deleteFrom('recovery_codes').where('user_id', '=', userId),
)

const insertCode = statement((c: RecoveryCodeTable) =>
  q.insertInto('recovery_codes').values({ user_id: c.user_id, position: c.position, code_hash: c.code_hash }),
)

/** Replaces the user's codes. Stored as keyed hashes, which are useless without the server's key. */
export function* saveRecoveryCodes(userId: string, codes: readonly string[], sealer: Sealer): DbWork<void> {
  yield* run(dropCodes, { userId })
  const hashOf = (code: string): string => sealer.keyedHash(normalizeRecoveryCode(code), codeHashContextOf(userId))
  yield* runEach(
    insertCode,
    codes.map((code, position) => ({ user_id: userId, position, code_hash: hashOf(code) })),
  )
}

function codeHashContextOf(userId: string): string {
  return `recovery code ${userId}`
}

const codes = statement(({ userId }: { userId: string }) =>
  q.selectFrom('recovery_codes').select(['position', 'code_hash']).where('user_id', '=', userId),
)

export function* recoveryCodesLeft(userId: string): DbWork<number> {
  return (yield* all(codes, { userId })).length
}

const dropCode = statement(({ userId, position }: { userId: string; position: number }) =>
  q.deleteFrom('recovery_codes').where('user_id', '=', userId).where('position', '=', position),
)

/** Whether it is an unused code of this user; deletes it. */
export function* useRecoveryCode(userId: string, typed: string, sealer: Sealer): DbWork<boolean> {
  const code = normalizeRecoveryCode(typed)
  const left = yield* all(codes, { userId })
  // Compares all of them, so that the time does not depend on which one matches.
  const matches = left.filter(({ code_hash: hash }) => sealer.isKeyedHashOf(hash, code, codeHashContextOf(userId)))
  const [used] = matches
  return used !== undefined && (yield* run(dropCode, { userId, position: used.position })) === 1
}
