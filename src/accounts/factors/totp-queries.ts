import type { Sealer } from '../../lib/seal.ts'
import { findTotpStep } from '../../lib/totp.ts'
import { all, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { RecoveryCodeTable, TotpTable } from '../../storage/schema-factors.ts'
import { normalizeRecoveryCode } from './recovery-codes.ts'

const ofUser = statement(({ userId }: { userId: string }) =>
  q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId),
)

export function* totpOf(userId: string): DbWork<TotpTable | undefined> {
  return yield* first(ofUser, { userId })
}

const held = statement(({ userId }: { userId: string }) =>
  q.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId).forUpdate(),
)

const begin = statement(({ userId, secret, now }: { userId: string; secret: string; now: number }) =>
  q
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret, created_at: now, confirmed_at: null, last_step: 0 })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ secret, created_at: now })),
)

/** A secret that guards nothing yet, in place of an earlier one that was not confirmed. */
export function* saveTotpSecret(userId: string, secret: Buffer, sealer: Sealer, now: number): DbWork<void> {
  yield* run(begin, { userId, secret: sealer.seal(secret.toString('base64'), placeOf(userId)), now })
}

function placeOf(userId: string): string {
  return `totp ${userId}`
}

const setStep = statement(({ userId, step }: { userId: string; step: number }) =>
  q.updateTable('totp_secrets').set({ last_step: step }).where('user_id', '=', userId),
)

/** Whether it is a code of this moment that was not used before; then it is used now. */
export function* useTotpCode(userId: string, code: string, sealer: Sealer, now: number): DbWork<boolean> {
  const row = yield* first(held, { userId })
  if (row === undefined) return false
  const secret = Buffer.from(sealer.open(row.secret, placeOf(userId)), 'base64')
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

/** With its recovery codes, which are for nothing else. */
export function* dropTotp(userId: string): DbWork<boolean> {
  yield* run(dropCodes, { userId })
  return (yield* run(drop, { userId })) === 1
}

const dropCodes = statement(({ userId }: { userId: string }) =>
  q.deleteFrom('recovery_codes').where('user_id', '=', userId),
)

const insertCode = statement((c: RecoveryCodeTable) =>
  q.insertInto('recovery_codes').values({ user_id: c.user_id, position: c.position, mark: c.mark }),
)

/** In place of those there were. What is kept tells a code from others and nothing to whoever has only the database. */
export function* saveRecoveryCodes(userId: string, codes: readonly string[], sealer: Sealer): DbWork<void> {
  yield* run(dropCodes, { userId })
  const mark = (code: string): string => sealer.keyedHash(normalizeRecoveryCode(code), codePlaceOf(userId))
  yield* runEach(
    insertCode,
    codes.map((code, position) => ({ user_id: userId, position, mark: mark(code) })),
  )
}

function codePlaceOf(userId: string): string {
  return `recovery code ${userId}`
}

const codes = statement(({ userId }: { userId: string }) =>
  q.selectFrom('recovery_codes').select(['position', 'mark']).where('user_id', '=', userId),
)

export function* recoveryCodesLeft(userId: string): DbWork<number> {
  return (yield* all(codes, { userId })).length
}

const dropCode = statement(({ userId, position }: { userId: string; position: number }) =>
  q.deleteFrom('recovery_codes').where('user_id', '=', userId).where('position', '=', position),
)

/** Whether it is one of those that are left; then it is used up. */
export function* useRecoveryCode(userId: string, typed: string, sealer: Sealer): DbWork<boolean> {
  const code = normalizeRecoveryCode(typed)
  const left = yield* all(codes, { userId })
  const found = left.filter(({ mark }) => sealer.isKeyedHashOf(mark, code, codePlaceOf(userId)))
  const [used] = found
  return used !== undefined && (yield* run(dropCode, { userId, position: used.position })) === 1
}
