import { newId } from '../../lib/ids.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { defaultUserName, emailKey, normalizeEmail } from './normalize.ts'

const byKey = statement(({ key }: { key: string }) => q.selectFrom('users').selectAll().where('email_key', '=', key))

export function* userWithEmail(email: string): DbWork<UserTable | undefined> {
  return yield* first(byKey, { key: emailKey(email) })
}

const byId = statement(({ id }: { id: string }) => q.selectFrom('users').selectAll().where('id', '=', id))

export function* userWithId(id: string): DbWork<UserTable | undefined> {
  return yield* first(byId, { id })
}

const byIdForUpdate = statement(({ id }: { id: string }) =>
  q.selectFrom('users').selectAll().where('id', '=', id).forUpdate(),
)

/** Locks the row until the end of the transaction. */
export function* userForUpdate(id: string): DbWork<UserTable | undefined> {
  return yield* first(byIdForUpdate, { id })
}

const any = statement((_: object) => q.selectFrom('users').select('id').limit(1))

export function* hasUsers(): DbWork<boolean> {
  return (yield* first(any, {})) !== undefined
}

const page = statement(({ after, limit }: { after: string; limit: number }) =>
  q.selectFrom('users').selectAll().where('id', '>', after).orderBy('id').limit(limit),
)

/** One page in order of creation, starting after the id `after`. */
export function* usersAfter(after: string, limit: number): DbWork<readonly UserTable[]> {
  return yield* all(page, { after, limit })
}

const insert = statement((u: UserTable) =>
  q
    .insertInto('users')
    .values({
      id: u.id,
      email: u.email,
      email_key: u.email_key,
      name: u.name,
      password_hash: u.password_hash,
      email_verified_at: u.email_verified_at,
      language: u.language,
      created_at: u.created_at,
      updated_at: u.updated_at,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('id'),
)

interface NewUser {
  readonly email: string
  readonly name?: string
  readonly passwordHash: string | null
  readonly emailVerifiedAt: number | null
}

/** Undefined if the address is taken, also by a concurrent transaction. */
export function* createUser(user: NewUser, now: number): DbWork<UserTable | undefined> {
  const email = normalizeEmail(user.email)
  if (email === undefined) throw new Error('An e-mail address was not checked')
  const row: UserTable = {
    id: newId('usr', now),
    email,
    email_key: emailKey(email),
    name: user.name ?? defaultUserName(email),
    password_hash: user.passwordHash,
    email_verified_at: user.emailVerifiedAt,
    language: null,
    created_at: now,
    updated_at: now,
  }
  return (yield* first(insert, row)) === undefined ? undefined : row
}

const setPassword = statement(({ id, hash, now }: { id: string; hash: string; now: number }) =>
  q.updateTable('users').set({ password_hash: hash, updated_at: now }).where('id', '=', id),
)

export function* savePassword(id: string, hash: string, now: number): DbWork<void> {
  yield* run(setPassword, { id, hash, now })
}

const unsetPassword = statement(({ id, now }: { id: string; now: number }) =>
  q.updateTable('users').set({ password_hash: null, updated_at: now }).where('id', '=', id),
)

export function* dropPassword(id: string, now: number): DbWork<void> {
  yield* run(unsetPassword, { id, now })
}

const setVerified = statement(({ id, now }: { id: string; now: number }) =>
  q.updateTable('users').set({ email_verified_at: now, updated_at: now }).where('id', '=', id),
)

export function* saveEmailVerified(id: string, now: number): DbWork<void> {
  yield* run(setVerified, { id, now })
}

const setProfile = statement((p: { id: string; name: string; language: string | null; now: number }) =>
  q.updateTable('users').set({ name: p.name, language: p.language, updated_at: p.now }).where('id', '=', p.id),
)

export function* saveProfile(
  id: string,
  { name, language }: Pick<UserTable, 'name' | 'language'>,
  now: number,
): DbWork<void> {
  yield* run(setProfile, { id, name, language, now })
}
