import { organizationWithIdOrSlug } from '../../accounts/organizations/queries.ts'
import { notFound } from '../../contract/errors.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

export { alertContacts, endProblemsSilently } from './alert-contacts.ts'

interface ContactKey {
  orgId: string
  id: string
}

const contactsInOrder = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).orderBy('id'),
)

export function* contactsOf(orgId: string): DbWork<readonly ContactTable[]> {
  return yield* all(contactsInOrder, { orgId })
}

const byId = statement(({ orgId, id }: ContactKey) =>
  q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id),
)

export function* contactOf(orgId: string, id: string): DbWork<ContactTable> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('contact')
  return row
}

const byIdInAnyOrg = statement(({ id }: { id: string }) => q.selectFrom('contacts').selectAll().where('id', '=', id))

/** For the operator's commands, which are not limited to one organization. */
export function* contactWithId(id: string): DbWork<ContactTable | undefined> {
  return yield* first(byIdInAnyOrg, { id })
}

/** For messages. */
export function* organizationName(orgId: string): DbWork<string> {
  return (yield* organizationWithIdOrSlug(orgId))?.name ?? ''
}

const failing = statement((_: object) =>
  q
    .selectFrom('contacts')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('failing_since', 'is not', null),
)

/** Across all organizations. */
export function* countFailing(): DbWork<number> {
  return (yield* first(failing, {}))?.n ?? 0
}
