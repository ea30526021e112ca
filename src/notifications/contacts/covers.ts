import { type RawBuilder, sql } from 'kysely'
import type { Coverage } from '../../storage/schema/contacts.ts'

/** Whether a contact covers a monitor that it has no exception for. */
export function coversByDefault(covers: Coverage): boolean {
  return covers === 'ALL'
}

/** Whether the contact `c` of a statement covers the monitor with this number. */
export function coversMonitor(num: RawBuilder<number>): RawBuilder<boolean> {
  return sql<boolean>`((c.covers = 'ALL') <> exists (
    select 1 from contact_exceptions x where x.org_id = c.org_id and x.contact_id = c.id and x.monitor_num = ${num}))`
}
