import type { Database } from '../../storage/database.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { disableContact } from './enable.ts'

const AT_ONCE = 1_000

interface Place {
  orgId: string
  id: string
}

const dropSomeAlerts = statement(({ orgId, id }: Place) =>
  q
    .deleteFrom('alerts')
    .where(
      'num',
      'in',
      q.selectFrom('alerts').select('num').where('org_id', '=', orgId).where('contact_id', '=', id).limit(AT_ONCE),
    ),
)

const drop = statement(({ orgId, id }: Place) =>
  q.deleteFrom('contacts').where('org_id', '=', orgId).where('id', '=', id),
)

/** Takes a contact away, with all that it was told: silenced at once, and then step by step, so that nobody waits. */
export async function removeContact(database: Database, orgId: string, id: string, now: number): Promise<boolean> {
  await database.write(() => disableContact(orgId, id, now))
  while ((await database.write(() => run(dropSomeAlerts, { orgId, id }))) === AT_ONCE);
  return (await database.write(() => run(drop, { orgId, id }))) === 1
}

/** The same in one transaction: what it was told goes with it. */
export function* deleteContactRow(orgId: string, id: string, now: number): DbWork<boolean> {
  yield* disableContact(orgId, id, now)
  return (yield* run(drop, { orgId, id })) === 1
}
