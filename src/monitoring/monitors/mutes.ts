import type { Static } from 'typebox'
import { actorOf, NamedActor } from '../../contract/actor.ts'
import { faultFor, invalid } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { nullable, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamp.ts'
import { moveMutedAlerts } from '../../notifications/contacts/muted-alerts.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, q, runEach, statement } from '../../storage/query.ts'
import type { MonitorMuteTable } from '../../storage/schema/monitors.ts'
import { MonitorParams } from './schema.ts'

const MAX_DAYS = 366

export const Mute = resource('MonitorMute', {
  until: nullable(Timestamp, { description: 'null if the monitor is not muted' }),
  mutedAt: nullable(Timestamp),
  mutedBy: nullable(NamedActor, { description: 'Who muted it, with the name at that time' }),
})

export const notMuted: Static<typeof Mute> = { until: null, mutedAt: null, mutedBy: null }

export const MutedUntil = { ...TimestampInput, description: `In the future, at most ${MAX_DAYS} days ahead` }

type MuteRow = Pick<MonitorMuteTable, 'until' | 'muted_at' | 'muted_by'>

export const renderMute = (row: MuteRow) => ({
  until: isoTimestamp(row.until),
  mutedAt: isoTimestamp(row.muted_at),
  mutedBy: parseStored(row.muted_by) as Static<typeof NamedActor>,
})

interface NewMute {
  orgId: string
  num: number
  until: number
  now: number
  by: string
}

const save = statement(({ orgId, num, until, now, by }: NewMute) =>
  q
    .insertInto('monitor_mutes')
    .values({ monitor_num: num, org_id: orgId, until, muted_at: now, muted_by: by })
    .onConflict((conflict) => conflict.column('monitor_num').doUpdateSet({ until, muted_at: now, muted_by: by })),
)

const extend = statement(({ orgId, num, until }: Pick<NewMute, 'orgId' | 'num' | 'until'>) =>
  q.updateTable('monitor_mutes').set({ until }).where('monitor_num', '=', num).where('org_id', '=', orgId),
)

const end = statement(({ orgId, num, now }: { orgId: string; num: number; now: number }) =>
  q.deleteFrom('monitor_mutes').where('monitor_num', '=', num).where('org_id', '=', orgId).where('until', '>', now),
)

/** The time in a request. Throws if it is not in the future or too far away. */
export function mutedUntil(text: string, now: number): number {
  const until = parseTimestamp(text)
  if (until <= now) throw invalid([faultFor('until', reason('in_past'))])
  if (until > now + MAX_DAYS * DAY_MS) throw invalid([faultFor('until', reason('within_days', { days: MAX_DAYS }))])
  return until
}

interface Muted {
  readonly id: string
  readonly num: number
}

/** Alerts that wait already follow the new time. */
export function* mute({ caller, now }: OperationContext, monitors: readonly Muted[], until: number): DbWork<MuteRow> {
  const { orgId } = caller
  const { type, name } = actorOf(caller)
  const by = JSON.stringify({ type, name })
  yield* runEach(
    save,
    monitors.map(({ num }) => ({ orgId, num, until, now, by })),
  )
  yield* moveAlerts(orgId, monitors, until)
  return { until, muted_at: now, muted_by: by }
}

/** Alerts that wait are sent now. Returns the ids of the monitors that were muted. */
export function* unmute(
  { caller: { orgId }, now }: OperationContext,
  monitors: readonly Muted[],
): DbWork<ReadonlySet<string>> {
  const changes = yield* runEach(
    end,
    monitors.map(({ num }) => ({ orgId, num, now })),
  )
  yield* moveAlerts(orgId, monitors, now)
  return new Set(monitors.filter((_, i) => changes[i] === 1).map(({ id }) => id))
}

/** Makes mutes last until then, as they were made otherwise. */
export function* extendMutes(
  { caller: { orgId } }: OperationContext,
  monitors: readonly Muted[],
  until: number,
): DbWork<void> {
  yield* runEach(
    extend,
    monitors.map(({ num }) => ({ orgId, num, until })),
  )
  yield* moveAlerts(orgId, monitors, until)
}

function* moveAlerts(orgId: string, monitors: readonly Muted[], until: number): DbWork<void> {
  yield* runEach(
    moveMutedAlerts,
    monitors.map(({ id }) => ({ orgId, monitorId: id, until })),
  )
}

/** What the operations on the mute of a monitor have in common. */
export const onMute = {
  path: '/monitors/:monitorId/mute',
  extension: true,
  tag: 'Monitors',
  params: MonitorParams,
  errors: ['not_found'],
} as const
