import { notFound } from '../../contract/errors.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

export { alertContacts, endProblemsSilently } from './alert-contacts.ts'

interface Place {
  orgId: string
  id: string
}

const inOrder = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).orderBy('id'),
)

export function* contactsOf(orgId: string): DbWork<readonly ContactTable[]> {
  return yield* all(inOrder, { orgId })
}

const byId = statement(({ orgId, id }: Place) =>
  q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id),
)

export function* contactOf(orgId: string, id: string): DbWork<ContactTable> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('contact')
  return row
}

const anywhere = statement(({ id }: { id: string }) => q.selectFrom('contacts').selectAll().where('id', '=', id))

/** For the operator, to whom every organization is open. */
export function* contactWithId(id: string): DbWork<ContactTable | undefined> {
  return yield* first(anywhere, { id })
}

const failing = statement((_: object) =>
  q
    .selectFrom('contacts')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('failing_since', 'is not', null),
)

/** How many contacts, of all organizations, get nothing at present. */
export function* countFailing(): DbWork<number> {
  return (yield* first(failing, {}))?.n ?? 0
}
