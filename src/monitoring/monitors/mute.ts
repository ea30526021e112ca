import Type, { type Static } from 'typebox'
import { actorOf, NamedActor } from '../../contract/actor.ts'
import { invalid } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { body, nullable, page, pageQuery, resource, Timestamp, TimestampInput } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamp.ts'
import { moveMutedAlerts } from '../../notifications/contacts/muted-alerts.ts'
import { listPage } from '../../storage/list-index.ts'
import { type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'
import type { MonitorMuteTable } from '../../storage/schema/monitors.ts'
import { numOf } from './queries.ts'
import { MonitorParams } from './schema.ts'

const MAX_DAYS = 366

const Mute = resource('MonitorMute', {
  until: nullable(Timestamp, { description: 'null if the monitor is not muted' }),
  mutedAt: nullable(Timestamp),
  mutedBy: nullable(NamedActor, { description: 'Who muted it, with the name at that time' }),
})

const notMuted: Static<typeof Mute> = { until: null, mutedAt: null, mutedBy: null }

export const MutedUntil = { ...TimestampInput, description: `In the future, at most ${MAX_DAYS} days ahead` }

type MuteRow = Pick<MonitorMuteTable, 'until' | 'muted_at' | 'muted_by'>

const rendered = (row: MuteRow) => ({
  until: isoTimestamp(row.until),
  mutedAt: isoTimestamp(row.muted_at),
  mutedBy: JSON.parse(row.muted_by) as Static<typeof NamedActor>,
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

const end = statement(({ orgId, num, now }: { orgId: string; num: number; now: number }) =>
  q.deleteFrom('monitor_mutes').where('monitor_num', '=', num).where('org_id', '=', orgId).where('until', '>', now),
)

/** The time in a request. Throws if it is not in the future or too far away. */
export function mutedUntil(text: string, now: number): number {
  const until = parseTimestamp(text)
  if (until <= now) throw invalid([{ path: 'until', message: 'must be in the future' }])
  if (until > now + MAX_DAYS * DAY_MS) throw invalid([{ path: 'until', message: `must be within ${MAX_DAYS} days` }])
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

function* moveAlerts(orgId: string, monitors: readonly Muted[], until: number): DbWork<void> {
  yield* runEach(
    moveMutedAlerts,
    monitors.map(({ id }) => ({ orgId, monitorId: id, until })),
  )
}

/** What the operations on the mute of a monitor have in common. */
const onMute = {
  path: '/monitors/:monitorId/mute',
  extension: true,
  tag: 'Monitors',
  params: MonitorParams,
  errors: ['not_found'],
} as const

export const getMonitorMute = operation({
  ...onMute,
  id: 'getMonitorMute',
  method: 'GET',
  access: 'read',
  summary: "Get a monitor's mute",
  description: 'All fields are null if the monitor is not muted.',
  answer: { status: 200, schema: Mute, description: 'Until when its alerts are muted' },
  *handle({ caller: { orgId }, now }, { params }) {
    const num = yield* numOf(orgId, params.monitorId)
    const mutes = q.selectFrom('monitor_mutes').selectAll().where('monitor_num', '=', num).where('org_id', '=', orgId)
    const [row] = yield* execute(mutes.where('until', '>', now))
    return row === undefined ? notMuted : rendered(row)
  },
})

export const muteMonitor = operation({
  ...onMute,
  id: 'muteMonitor',
  method: 'PUT',
  access: 'write',
  summary: 'Mute the alerts of a monitor',
  description:
    'Nobody is alerted until then. Checks, incidents, uptime, status pages and webhooks go on. The mute ends by itself: contacts ' +
    'then get the alerts of what is still open. What began and ended meanwhile is recorded as MUTED and not sent.',
  body: body('MuteMonitor', { until: MutedUntil }),
  answer: { status: 200, schema: Mute, description: 'The mute' },
  *handle(context, { params, body: { until } }) {
    const { orgId } = context.caller
    const num = yield* numOf(orgId, params.monitorId)
    return rendered(yield* mute(context, [{ id: params.monitorId, num }], mutedUntil(until, context.now)))
  },
})

export const unmuteMonitor = operation({
  ...onMute,
  id: 'unmuteMonitor',
  method: 'DELETE',
  access: 'write',
  summary: 'End the mute of a monitor',
  description: 'Contacts get the alerts of what is still open. A monitor that is not muted stays as it is.',
  notifies: true,
  answer: { status: 200, schema: Mute, description: 'No mute' },
  *handle(context, { params }) {
    const num = yield* numOf(context.caller.orgId, params.monitorId)
    yield* unmute(context, [{ id: params.monitorId, num }])
    return notMuted
  },
})

const MutedMonitor = resource('MutedMonitor', {
  monitorId: Type.String({ minLength: 1 }),
  name: Type.String(),
  until: Timestamp,
  mutedAt: Timestamp,
  mutedBy: { ...NamedActor, description: 'Who muted it, with the name at that time' },
})

export const listMutes = operation({
  id: 'listMutes',
  method: 'GET',
  path: '/mutes',
  access: 'read',
  extension: true,
  tag: 'Monitors',
  summary: 'List the muted monitors',
  description: 'Those whose mute ends first come first.',
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: page('MutedMonitorPage', MutedMonitor), description: 'A page of muted monitors' },
  *handle({ caller: { orgId }, now }, { query: { limit, offset } }) {
    const muted = q
      .selectFrom('monitor_mutes as x')
      .innerJoin('monitors as m', 'm.num', 'x.monitor_num')
      .select(['m.id', 'm.name', 'x.until', 'x.muted_at', 'x.muted_by'])
      .where('x.org_id', '=', orgId)
      .where('x.until', '>', now)
      .orderBy('x.until')
      .orderBy('x.monitor_num')
    const { rows, total } = yield* listPage(muted, { limit, offset })
    const data = rows.map(({ id, name, ...row }) => ({ monitorId: id, name, ...rendered(row) }))
    return { data, pagination: { limit, offset, total } }
  },
})
