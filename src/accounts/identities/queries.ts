import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { UserTable } from '../../storage/schema-accounts.ts'
import type { IdentityTable } from '../../storage/schema-factors.ts'

const known = statement(({ issuer, subject }: { issuer: string; subject: string }) =>
  q
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .selectAll('u')
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject),
)

/** Whose account a provider's subject opens. */
export function* userOfIdentity(issuer: string, subject: string): DbWork<UserTable | undefined> {
  return yield* first(known, { issuer, subject })
}

const insert = statement((i: IdentityTable) =>
  q
    .insertInto('identities')
    .values({ issuer: i.issuer, subject: i.subject, user_id: i.user_id, linked_at: i.linked_at })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing()),
)

/** False where it opens an account already. */
export function* saveIdentity(identity: IdentityTable): DbWork<boolean> {
  return (yield* run(insert, identity)) === 1
}
