import { sql } from 'kysely'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import type { Claim } from './claim.ts'
import { FLAPPING_COUNT, FLAPPING_MS, type Flapping } from './flapping.ts'
import type { AlertKind } from './types.ts'

interface ContactKey {
  orgId: string
  contactId: string
}

const countOf = (kind: AlertKind) => sql<number>`cast(count(*) filter (where kind = ${sql.lit(kind)}) as bigint)`

const recentlyFlapping = statement(({ orgId, contactId, since }: ContactKey & { since: number }) =>
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

/** The monitors that flap, by the recent alerts of a contact. */
export function* flappingMonitors({ orgId, contactId, claimedAt: now }: Claim): DbWork<readonly Flapping[]> {
  const found = yield* all(recentlyFlapping, { orgId, contactId, since: now - FLAPPING_MS })
  return found.map((one) => ({ ...one, until: now }))
}
