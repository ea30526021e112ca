import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import type { IdentityTable } from '../../storage/schema/factors.ts'

const linkedUser = statement(({ issuer, subject }: { issuer: string; subject: string }) =>
  q
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .selectAll('u')
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject),
)

/** The user to whom an OIDC subject is linked. */
export function* userOfIdentity(issuer: string, subject: string): DbWork<UserTable | undefined> {
  return yield* first(linkedUser, { issuer, subject })
}

const insert = statement((i: IdentityTable) =>
  q
    .insertInto('identities')
    .values({ issuer: i.issuer, subject: i.subject, user_id: i.user_id, linked_at: i.linked_at })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
)

/** False if the subject is linked already. */
export function* saveIdentity(identity: IdentityTable): DbWork<boolean> {
  return (yield* run(insert, identity)) === 1
}
