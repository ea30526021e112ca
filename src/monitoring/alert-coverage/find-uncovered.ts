import { type RawBuilder, sql } from 'kysely'
import { parseSelector } from '../../lib/selector.ts'
import { coversMonitor } from '../../notifications/contacts/coverage.ts'
import { type Configured, problemOf } from '../../notifications/contacts/delivers.ts'
import { parseKinds } from '../../notifications/contacts/kinds.ts'
import { contactsOf } from '../../notifications/contacts/queries.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

/** The usual case, decided without reading the monitors: a contact gets the alerts of all of them. */
function* coversEverything(contacts: readonly ContactTable[]): DbWork<boolean> {
  for (const { org_id: orgId, id } of contacts.filter(({ covers }) => covers === 'ALL')) {
    const exceptions = q.selectFrom('contact_exceptions').select('monitor_num').where('org_id', '=', orgId)
    if ((yield* execute(exceptions.where('contact_id', '=', id).limit(1))).length === 0) return true
  }
  return false
}

/** Whether an outage of a monitor that the contact covers reaches somebody. */
export function isAlertedOfOutages(contact: ContactTable, configured: Configured): boolean {
  return problemOf(contact, configured) === null && parseKinds(contact.kinds).includes('opened')
}

/**
 * SQL: whether nobody would be alerted of an outage of the monitor with the state `s`. Undefined if that is true of none.
 * Paused monitors raise no alerts, so nobody has to cover them.
 */
export function* uncoveredMonitors(orgId: string, configured: Configured): DbWork<RawBuilder<boolean> | undefined> {
  const contacts = (yield* contactsOf(orgId)).filter((contact) => isAlertedOfOutages(contact, configured))
  if (yield* coversEverything(contacts)) return undefined
  const conditions = [sql<boolean>`s.state <> 'PAUSED'`]
  const selectors = new Set(contacts.flatMap(({ selector }) => (selector === null ? [] : [selector])))
  for (const selector of selectors) {
    const { atMost, nums } = yield* selectMonitors(orgId, parseSelector(selector))
    if (atMost !== 0) conditions.push(sql`s.num not in (${nums})`)
  }
  const ids = contacts.filter(({ selector }) => selector === null).map(({ id }) => id)
  if (ids.length > 0) {
    conditions.push(sql`not exists (select 1 from contacts c
      where c.org_id = ${orgId} and c.id in (${sql.join(ids)}) and ${coversMonitor(sql`s.num`, '')})`)
  }
  return sql`(${sql.join(conditions, sql` and `)})`
}
