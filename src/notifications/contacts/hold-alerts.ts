import { sql } from 'kysely'
import { allOf, batch, fromRows } from '../../storage/batch.ts'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import type { Claim } from './claim.ts'
import { FLAPPING_COUNT, FLAPPING_MS, type Flapping } from './flapping.ts'
import { holdFlapping } from './hold-flapping.ts'
import type { AlertKind } from './types.ts'

interface ContactKey {
  orgId: string
  contactId: string
}

const countOf = (kind: AlertKind) => sql<number>`cast(count(*) filter (where kind = ${sql.lit(kind)}) as bigint)`

/** The monitors of a contact's recent alerts that flap. */
const flappingMonitors = statement(({ orgId, contactId, since }: ContactKey & { since: number }) =>
  q
    .selectFrom('alerts')
    .select(sql<string>`monitor_id`.as('monitorId'))
    .select([countOf('opened').as('outages'), countOf('degraded').as('degradations')])
    .select(sql<number>`min(at) filter (where problem_key is not null)`.as('since'))
    .select(sql<number | null>`max(settled_at) filter (where outcome = 'SENT')`.as('lastMessageAt'))
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('at', '>=', since)
    .where('monitor_id', 'is not', null)
    .groupBy('monitor_id')
    .having(
      sql<boolean>`${countOf('opened')} >= ${sql.lit(FLAPPING_COUNT)} or ${countOf('degraded')} >= ${sql.lit(FLAPPING_COUNT)}`,
    ),
)

const unsentAlerts = statement(({ orgId, contactId }: ContactKey) =>
  q
    .selectFrom('alerts')
    .select(['num', 'kind', 'monitor_id', 'due_at'])
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null)
    .where('message_id', 'is', null),
)

interface PostponedAlert extends ContactKey {
  num: number
  until: number
}

const postpone = batch<PostponedAlert, { i: number }>(
  { orgId: 'text', contactId: 'text', num: 'bigint', until: 'bigint' },
  ({ orgId, contactId, num, until }, rows) => {
    const postponed = q
      .updateTable('alerts as a')
      .set({ due_at: until })
      .where('a.org_id', '=', orgId)
      .where('a.contact_id', '=', contactId)
      .where('a.num', '=', num)
    return (rows === undefined ? postponed : fromRows(postponed, rows).returning(rows.index)) as typeof postponed
  },
)

/** Postpones the alerts of flapping monitors that the contact just got a message about. Returns the monitors that flap. */
export function* holdFlappingAlerts({ orgId, contactId, claimedAt: now }: Claim): DbWork<readonly Flapping[]> {
  const found = yield* all(flappingMonitors, { orgId, contactId, since: now - FLAPPING_MS })
  if (found.length === 0) return []
  const flapping = found.map((one) => ({ ...one, until: now }))
  const unsent = (yield* all(unsentAlerts, { orgId, contactId })).map((row) => ({
    num: row.num,
    kind: row.kind as AlertKind,
    monitorId: row.monitor_id,
    dueAt: row.due_at,
  }))
  const held = holdFlapping(unsent, flapping, now).filter(({ alert, until }) => alert.dueAt !== until)
  yield* allOf(
    postpone,
    held.map(({ alert: { num }, until }) => ({ orgId, contactId, num, until })),
  )
  return flapping
}
