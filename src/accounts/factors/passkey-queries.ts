import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'

const ofUser = statement(({ userId }: { userId: string }) =>
  q.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id'),
)

/** Oldest first. */
export function* passkeysOf(userId: string): DbWork<readonly PasskeyTable[]> {
  return yield* all(ofUser, { userId })
}

const byCredential = statement(({ credentialId }: { credentialId: string }) =>
  q.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId),
)

export function* passkeyWithCredential(credentialId: string): DbWork<PasskeyTable | undefined> {
  return yield* first(byCredential, { credentialId })
}

const insert = statement((p: PasskeyTable) =>
  q
    .insertInto('passkeys')
    .values({
      id: p.id,
      user_id: p.user_id,
      credential_id: p.credential_id,
      public_key: p.public_key,
      counter: p.counter,
      transports: p.transports,
      name: p.name,
      created_at: p.created_at,
      last_used_at: p.last_used_at,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing()),
)

/** False if the credential is stored already. */
export function* savePasskey(row: PasskeyTable): DbWork<boolean> {
  return (yield* run(insert, row)) === 1
}

interface PasskeyUse {
  id: string
  previousCounter: number
  counter: number
  now: number
}

const setUsed = statement(({ id, previousCounter, counter, now }: PasskeyUse) =>
  q
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where('counter', '=', previousCounter),
)

/** False if the passkey was removed or used since it was read. */
export function* savePasskeyUse(id: string, previousCounter: number, counter: number, now: number): DbWork<boolean> {
  return (yield* run(setUsed, { id, previousCounter, counter, now })) === 1
}

const rename = statement(({ userId, id, name }: { userId: string; id: string; name: string }) =>
  q.updateTable('passkeys').set({ name }).where('user_id', '=', userId).where('id', '=', id).returningAll(),
)

export function* renamePasskeyOf(userId: string, id: string, name: string): DbWork<PasskeyTable | undefined> {
  return yield* first(rename, { userId, id, name })
}

const drop = statement(({ userId, id }: { userId: string; id: string }) =>
  q.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id),
)

export function* dropPasskey(userId: string, id: string): DbWork<boolean> {
  return (yield* run(drop, { userId, id })) === 1
}

const dropAll = statement(({ userId }: { userId: string }) => q.deleteFrom('passkeys').where('user_id', '=', userId))

export function* dropPasskeys(userId: string): DbWork<number> {
  return yield* run(dropAll, { userId })
}
