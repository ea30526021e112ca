import { type DbWork, execute, q } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import type { IdentityTable } from '../../storage/schema/factors.ts'

/** The user to whom an OIDC subject is linked. */
export function* userOfIdentity(issuer: string, subject: string): DbWork<UserTable | undefined> {
  const users = q.selectFrom('identities as i').innerJoin('users as u', 'u.id', 'i.user_id').selectAll('u')
  const [user] = yield* execute(users.where('i.issuer', '=', issuer).where('i.subject', '=', subject))
  return user
}

/** False if the subject is linked already. */
export function* saveIdentity(identity: IdentityTable): DbWork<boolean> {
  const insert = q.insertInto('identities').values(identity)
  const saved = yield* execute(
    insert.onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()).returning('subject'),
  )
  return saved.length === 1
}
