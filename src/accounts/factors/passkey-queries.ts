import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'

/** Oldest first. */
export function* passkeysOf(userId: string): DbWork<readonly PasskeyTable[]> {
  return yield* execute(q.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id'))
}

export function* passkeyWithCredential(credentialId: string): DbWork<PasskeyTable | undefined> {
  const [row] = yield* execute(q.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId))
  return row
}

/** False if the credential is stored already. */
export function* savePasskey(row: PasskeyTable): DbWork<boolean> {
  const saved = yield* execute(
    q
      .insertInto('passkeys')
      .values(row)
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning('id'),
  )
  return saved.length === 1
}

/** False if the passkey was removed or used since it was read. */
export function* savePasskeyUse(id: string, previousCounter: number, counter: number, now: number): DbWork<boolean> {
  const saved = yield* execute(
    q
      .updateTable('passkeys')
      .set({ counter, last_used_at: now })
      .where('id', '=', id)
      .where('counter', '=', previousCounter)
      .returning('id'),
  )
  return saved.length === 1
}

export function* renamePasskeyOf(userId: string, id: string, name: string): DbWork<PasskeyTable | undefined> {
  const [row] = yield* execute(
    q.updateTable('passkeys').set({ name }).where('user_id', '=', userId).where('id', '=', id).returningAll(),
  )
  return row
}

export function* dropPasskey(userId: string, id: string): DbWork<boolean> {
  const dropped = yield* execute(
    q.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id).returning('id'),
  )
  return dropped.length === 1
}

export function* dropPasskeys(userId: string): DbWork<number> {
  return (yield* execute(q.deleteFrom('passkeys').where('user_id', '=', userId).returning('id'))).length
}
