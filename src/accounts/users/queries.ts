import { newId } from '../../lib/ids.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { defaultUserName, emailKey, normalizeEmail } from './normalize.ts'

export function* userWithEmail(email: string): DbWork<UserTable | undefined> {
  const [row] = yield* execute(q.selectFrom('users').selectAll().where('email_key', '=', emailKey(email)))
  return row
}

export function* userWithId(id: string): DbWork<UserTable | undefined> {
  const [row] = yield* execute(q.selectFrom('users').selectAll().where('id', '=', id))
  return row
}

/** Locks the row until the end of the transaction. */
export function* userForUpdate(id: string): DbWork<UserTable | undefined> {
  const [row] = yield* execute(q.selectFrom('users').selectAll().where('id', '=', id).forUpdate())
  return row
}

export function* hasUsers(): DbWork<boolean> {
  return (yield* execute(q.selectFrom('users').select('id').limit(1))).length > 0
}

/** One page in order of creation, starting after the id `after`. */
export function* usersAfter(after: string, limit: number): DbWork<readonly UserTable[]> {
  return yield* execute(q.selectFrom('users').selectAll().where('id', '>', after).orderBy('id').limit(limit))
}

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
  const [created] = yield* execute(
    q
      .insertInto('users')
      .values(row)
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  )
  return created && row
}

type UserChange = Partial<Pick<UserTable, 'name' | 'language' | 'password_hash' | 'email_verified_at'>>

export function* updateUser(id: string, change: UserChange, now: number): DbWork<void> {
  yield* execute(
    q
      .updateTable('users')
      .set({ ...change, updated_at: now })
      .where('id', '=', id),
  )
}
