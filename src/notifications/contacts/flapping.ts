import { sql } from 'kysely'
import type { MonitorOptions } from '../../contract/check-options.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Claim } from './claim.ts'
import type { AlertKind } from './types.ts'

/** How often a monitor went down and was degraded lately, by the alerts of one contact. */
export interface Flapping {
  readonly monitorId: string
  readonly outages: number
  readonly degradations: number
  /** When the first of these problems began, and when they were counted. */
  readonly since: number
  readonly until: number
  /** When the contact got the last message about the monitor; null if none of these alerts was sent. */
  readonly lastMessageAt: number | null
  /** When the latest outages began, oldest first. */
  readonly outageTimes?: readonly number[]
  /** The monitor is up again only after several successful checks. */
  readonly confirmsRecovery?: boolean
}

/** A contact gets at most one message about a flapping monitor in this time. */
export const SPACING_MS = 5 * MINUTE_MS

/** A monitor flaps if it has this many outages, or degradations, within this time. */
const FLAPPING_MS = 20 * MINUTE_MS
export const FLAPPING_COUNT = 3

/** The kinds of alerts that a flapping monitor repeats. */
export const flappingKinds: readonly AlertKind[] = ['opened', 'resolved', 'degraded', 'recovered']

const countOf = (kind: AlertKind) => sql<number>`cast(count(*) filter (where kind = ${sql.lit(kind)}) as bigint)`

/** The monitors that flap, by the recent alerts of a contact. */
export function* flappingMonitors({ org_id: orgId, id, claimedAt: now }: Claim): DbWork<readonly Flapping[]> {
  const [outages, degradations] = [countOf('opened'), countOf('degraded')]
  const found = yield* execute(
    q
      .selectFrom('alerts')
      .select(sql<string>`monitor_id`.as('monitorId'))
      .select([outages.as('outages'), degradations.as('degradations')])
      .select(sql<number>`min(at) filter (where problem_key is not null)`.as('since'))
      .select(sql<number | null>`max(settled_at) filter (where outcome = 'SENT')`.as('lastMessageAt'))
      .where('org_id', '=', orgId)
      .where('contact_id', '=', id)
      .where('at', '>=', now - FLAPPING_MS)
      .where('monitor_id', 'is not', null)
      .groupBy('monitor_id')
      .having(sql<boolean>`${outages} >= ${sql.lit(FLAPPING_COUNT)} or ${degradations} >= ${sql.lit(FLAPPING_COUNT)}`),
  )
  return found.map((one) => ({ ...one, until: now }))
}

/** Of all monitors of a message. A message lists a few of each. */
const MAX_OUTAGES = 500

/** With what a message says about them. */
export function* withOutages(
  { org_id: orgId, id, claimedAt: now }: Claim,
  flapping: readonly Flapping[],
): DbWork<readonly Flapping[]> {
  const ids = flapping.map(({ monitorId }) => monitorId)
  if (ids.length === 0) return flapping
  const outages = yield* execute(
    q
      .selectFrom('alerts')
      .select(['monitor_id', 'at'])
      .where('org_id', '=', orgId)
      .where('contact_id', '=', id)
      .where('at', '>=', now - FLAPPING_MS)
      .where('kind', '=', 'opened')
      .where('monitor_id', 'in', ids)
      .orderBy('at', 'desc')
      .limit(MAX_OUTAGES),
  )
  const options = yield* execute(
    q.selectFrom('monitors').select(['id', 'options']).where('org_id', '=', orgId).where('id', 'in', ids),
  )
  const confirming = new Set(
    options.flatMap(({ id, options }) => {
      const { confirmation } = parseStored(options ?? '{}') as MonitorOptions
      return (confirmation?.recoverySuccesses ?? 1) > 1 ? [id] : []
    }),
  )
  return flapping.map((one) => ({
    ...one,
    outageTimes: outages
      .flatMap(({ monitor_id: monitorId, at }) => (monitorId === one.monitorId ? [at] : []))
      .reverse(),
    confirmsRecovery: confirming.has(one.monitorId),
  }))
}
