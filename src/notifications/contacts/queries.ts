import type { Updateable } from 'kysely'
import { organizationWithIdOrSlug } from '../../accounts/organizations/queries.ts'
import { notFound } from '../../contract/errors.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

export { alertContacts, endProblemsSilently } from './alert-contacts.ts'

export function* contactsOf(orgId: string): DbWork<readonly ContactTable[]> {
  return yield* execute(q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).orderBy('id'))
}

export function* contactOf(orgId: string, id: string): DbWork<ContactTable> {
  const found = q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id)
  const [row] = yield* execute(found)
  if (row === undefined) throw notFound('contact')
  return row
}

export function* saveContact(orgId: string, id: string, changed: Updateable<ContactTable>): DbWork<ContactTable> {
  const update = q.updateTable('contacts').set(changed).where('org_id', '=', orgId).where('id', '=', id)
  const [row] = yield* execute(update.returningAll())
  if (row === undefined) throw notFound('contact')
  return row
}

/** For the operator's commands, which are not limited to one organization. */
export function* contactWithId(id: string): DbWork<ContactTable | undefined> {
  return (yield* execute(q.selectFrom('contacts').selectAll().where('id', '=', id)))[0]
}

/** For messages. */
export function* organizationOf(orgId: string): DbWork<{ readonly name: string; readonly timezone: string }> {
  const { name = '', timezone = 'UTC' } = (yield* organizationWithIdOrSlug(orgId)) ?? {}
  return { name, timezone }
}

/** Across all organizations. */
export function* countFailing(): DbWork<number> {
  const counted = q.selectFrom('contacts').select((is) => is.fn.countAll<number>().as('n'))
  return (yield* execute(counted.where('failing_since', 'is not', null)))[0]?.n ?? 0
}
