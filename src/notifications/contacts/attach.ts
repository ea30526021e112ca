import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { contactOf } from './queries.ts'

interface Pair {
  orgId: string
  contactId: string
  num: number
}

const except = statement(({ orgId, contactId, num }: Pair) =>
  q
    .insertInto('contact_exceptions')
    .values({ org_id: orgId, contact_id: contactId, monitor_num: num })
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'monitor_num']).doNothing()),
)

const followRule = statement(({ orgId, contactId, num }: Pair) =>
  q
    .deleteFrom('contact_exceptions')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('monitor_num', '=', num),
)

/**
 * Has a contact told of a monitor, or no longer. A contact covers all monitors, those to come included, or none, and
 * only what departs from that is a row: making ten thousand monitors costs none.
 */
export function* setAttached(orgId: string, contactId: string, num: number, attached: boolean): DbWork<void> {
  const { covers_all: coversAll } = yield* contactOf(orgId, contactId)
  if (attached === (coversAll === 1)) yield* run(followRule, { orgId, contactId, num })
  else yield* run(except, { orgId, contactId, num })
}

const ofMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('contacts as c')
    .leftJoin('contact_exceptions as x', (on) =>
      on.onRef('x.org_id', '=', 'c.org_id').onRef('x.contact_id', '=', 'c.id').on('x.monitor_num', '=', num),
    )
    .select(['c.id', 'c.name', 'c.channel', 'c.enabled', 'c.covers_all', 'x.monitor_num'])
    .where('c.org_id', '=', orgId)
    .orderBy('c.id'),
)

export interface Attachment {
  readonly contactId: string
  readonly name: string
  readonly channel: string
  readonly enabled: boolean
  readonly attached: boolean
}

/** Every contact of the organization, and whether it is told of this monitor. */
export function* attachmentsOf(orgId: string, num: number): DbWork<readonly Attachment[]> {
  return (yield* all(ofMonitor, { orgId, num })).map((row) => ({
    contactId: row.id,
    name: row.name,
    channel: row.channel,
    enabled: row.enabled === 1,
    attached: (row.covers_all === 1) === (row.monitor_num === null),
  }))
}

const numberOf = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('monitors').select('num').where('org_id', '=', orgId).where('id', '=', id),
)

/** The number of a monitor of this organization. */
export function* monitorNumOf(orgId: string, id: string): DbWork<number | undefined> {
  return (yield* first(numberOf, { orgId, id }))?.num
}
