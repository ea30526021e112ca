import type { Database } from '../../storage/database.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { disableContact } from './enable.ts'

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

const deleteContact = statement(({ orgId, id }: ContactKey) =>
  q.deleteFrom('contacts').where('org_id', '=', orgId).where('id', '=', id),
)

/** Disables a contact, deletes its alerts in short transactions and then the contact itself. */
export async function removeContact(database: Database, orgId: string, id: string, now: number): Promise<boolean> {
  await database.write(() => disableContact(orgId, id, now))
  while ((await database.write(() => run(deleteSomeAlerts, { orgId, id }))) === ALERTS_PER_STEP);
  return (await database.write(() => run(deleteContact, { orgId, id }))) === 1
}

/** The same in one transaction; the foreign key deletes its alerts. */
export function* deleteContactRow(orgId: string, id: string, now: number): DbWork<boolean> {
  yield* disableContact(orgId, id, now)
  return (yield* run(deleteContact, { orgId, id })) === 1
}
