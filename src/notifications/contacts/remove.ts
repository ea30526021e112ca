import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import type { Database } from '../../storage/database.ts'
import { q, run, statement } from '../../storage/query.ts'
import { disableContactRow } from './enable.ts'
import { ofContact } from './schema.ts'

const ALERTS_PER_STEP = 1_000

interface ContactKey {
  orgId: string
  id: string
}

const deleteSomeAlerts = statement(({ orgId, id }: ContactKey) =>
  q
    .deleteFrom('alerts')
    .where(
      'num',
      'in',
      q
        .selectFrom('alerts')
        .select('num')
        .where('org_id', '=', orgId)
        .where('contact_id', '=', id)
        .limit(ALERTS_PER_STEP),
    ),
)

const deleteRow = statement(({ orgId, id }: ContactKey) =>
  q.deleteFrom('contacts').where('org_id', '=', orgId).where('id', '=', id),
)

/** Disables a contact, deletes its alerts in short transactions and then the contact itself. */
export async function removeContact(database: Database, orgId: string, id: string, now: number): Promise<boolean> {
  await database.write(() => disableContactRow(orgId, id, now))
  while ((await database.write(() => run(deleteSomeAlerts, { orgId, id }))) === ALERTS_PER_STEP);
  return (await database.write(() => run(deleteRow, { orgId, id }))) === 1
}

export const deleteContact = operation({
  ...ofContact,
  id: 'deleteContact',
  method: 'DELETE',
  summary: 'Delete a contact',
  description: 'Deletes the contact with its alert history.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId }, now }, { params: { contactId: id } }) {
    yield* disableContactRow(orgId, id, now)
    // The foreign key deletes its alerts.
    if ((yield* run(deleteRow, { orgId, id })) === 0) throw notFound('contact')
    return { data: { id } }
  },
})
