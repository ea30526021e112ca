import type { Sealer } from '../../lib/seal.ts'
import { findTotpStep } from '../../lib/totp.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { TotpTable } from '../../storage/schema/factors.ts'
import { normalizeRecoveryCode } from './recovery-codes.ts'

export function* totpOf(userId: string): DbWork<TotpTable | undefined> {
  const [row] = yield* execute(q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId))
  return row
}

/** Saves an unconfirmed secret, replacing an earlier unconfirmed one. */
export function* saveTotpSecret(userId: string, secret: Buffer, sealer: Sealer, now: number): DbWork<void> {
  const changes = { secret: sealer.seal(secret.toString('base64'), sealContextOf(userId)), created_at: now }
  yield* execute(
    q
      .insertInto('totp_secrets')
      .values({ user_id: userId, ...changes, confirmed_at: null, last_step: 0 })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changes)),
  )
}

/** Bound into the sealed value, so that it opens only for this user. */
function sealContextOf(userId: string): string {
  return `totp ${userId}`
}

/** Whether the code is valid now and newer than the last used one; marks it used. */
export function* useTotpCode(userId: string, code: string, sealer: Sealer, now: number): DbWork<boolean> {
  const [row] = yield* execute(q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId).forUpdate())
  if (row === undefined) return false
  const secret = Buffer.from(sealer.open(row.secret, sealContextOf(userId)), 'base64')
  const step = findTotpStep(code.replace(/\s/g, ''), secret, now, row.last_step)
  if (step === undefined) return false
  yield* execute(q.updateTable('totp_secrets').set({ last_step: step }).where('user_id', '=', userId))
  return true
}

export function* confirmTotpSecret(userId: string, now: number): DbWork<void> {
  yield* execute(q.updateTable('totp_secrets').set({ confirmed_at: now }).where('user_id', '=', userId))
}

/** Also deletes the recovery codes. */
export function* dropTotp(userId: string): DbWork<boolean> {
  yield* dropRecoveryCodes(userId)
  const dropped = yield* execute(q.deleteFrom('totp_secrets').where('user_id', '=', userId).returning('user_id'))
  return dropped.length === 1
}

function* dropRecoveryCodes(userId: string): DbWork<void> {
  yield* execute(q.deleteFrom('recovery_codes').where('user_id', '=', userId))
}

/** Replaces the user's codes. Stored as keyed hashes, which are useless without the server's key. */
export function* saveRecoveryCodes(userId: string, codes: readonly string[], sealer: Sealer): DbWork<void> {
  yield* dropRecoveryCodes(userId)
  const hashOf = (code: string): string => sealer.keyedHash(normalizeRecoveryCode(code), codeHashContextOf(userId))
  const rows = codes.map((code, position) => ({ user_id: userId, position, code_hash: hashOf(code) }))
  yield* execute(q.insertInto('recovery_codes').values(rows))
}

function codeHashContextOf(userId: string): string {
  return `recovery code ${userId}`
}

const codesOf = (userId: string) =>
  execute(q.selectFrom('recovery_codes').select(['position', 'code_hash']).where('user_id', '=', userId))

export function* recoveryCodesLeft(userId: string): DbWork<number> {
  return (yield* codesOf(userId)).length
}

/** Whether it is an unused code of this user; deletes it. */
export function* useRecoveryCode(userId: string, typed: string, sealer: Sealer): DbWork<boolean> {
  const code = normalizeRecoveryCode(typed)
  const left = yield* codesOf(userId)
  // Compares all of them, so that the time does not depend on which one matches.
  const matches = left.filter(({ code_hash: hash }) => sealer.isKeyedHashOf(hash, code, codeHashContextOf(userId)))
  const [used] = matches
  if (used === undefined) return false
  const dropped = yield* execute(
    q
      .deleteFrom('recovery_codes')
      .where('user_id', '=', userId)
      .where('position', '=', used.position)
      .returning('position'),
  )
  return dropped.length === 1
}
