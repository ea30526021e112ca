import { sql } from 'kysely'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'

/**
 * Alerts of a muted monitor wait for the end of the mute (`muted_until`, with no `due_at`), also those that were written before it.
 * What is over by then is not announced: neither a problem whose start was not sent and that has ended, nor one of a monitor that
 * was paused or deleted.
 */
interface MutedChange {
  orgId: string
  monitorNum: number
  changeKey: string
  at: number
}

const muteOf = statement(({ orgId, monitorNum, at }: Pick<MutedChange, 'orgId' | 'monitorNum' | 'at'>) =>
  q
    .selectFrom('monitor_mutes')
    .select('until')
    .where('monitor_num', '=', monitorNum)
    .where('org_id', '=', orgId)
    .where('until', '>', at),
)

const dueOf = ({ orgId, changeKey }: Pick<MutedChange, 'orgId' | 'changeKey'>) =>
  q
    .updateTable('alerts')
    .set({ due_at: null })
    .where('org_id', '=', orgId)
    .where('change_key', '=', changeKey)
    .where('due_at', 'is not', null)

const hold = statement((change: Pick<MutedChange, 'orgId' | 'changeKey'> & { until: number }) =>
  dueOf(change).set({ muted_until: change.until }),
)

/** The end of a problem is not announced to contacts whose alert of its start still waits. */
const dropEnd = statement((change: Pick<MutedChange, 'orgId' | 'changeKey' | 'at'> & { problemKey: string }) =>
  dueOf(change)
    .set({ outcome: 'MUTED', settled_at: change.at })
    .where(
      'contact_id',
      'in',
      q
        .selectFrom('alerts')
        .select('contact_id')
        .where('org_id', '=', change.orgId)
        .where('problem_key', '=', change.problemKey)
        .where('muted_until', 'is not', null),
    ),
)

/** Holds the new alerts of a change back if the monitor is muted. */
export function* muteAlerts(change: MutedChange, endedProblem: string | undefined): DbWork<void> {
  if (endedProblem !== undefined) yield* run(dropEnd, { ...change, problemKey: endedProblem })
  const mute = yield* first(muteOf, change)
  if (mute !== undefined) yield* run(hold, { ...change, until: mute.until })
}

/** When the mute of the monitor of an alert ends; null if it is not muted. */
export const muteEnd = (now: number) =>
  sql<number | null>`(select mm.until from monitors m join monitor_mutes mm on mm.monitor_num = m.num
    where m.org_id = alerts.org_id and m.id = alerts.monitor_id and mm.until > ${now})`

/**
 * Holds alerts back that were queued before the mute: those that wait for a retry, for others, or because the monitor flaps. Only
 * for a claimed contact: an alert that another node is sending must not lose the result. A retry becomes part of a new message,
 * because the rest of its old one may arrive meanwhile, and receivers ignore a second message with the same id.
 */
export function* holdMutedAlerts(orgId: string, contactId: string, now: number): DbWork<void> {
  const pending = q
    .updateTable('alerts')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null)
    .where(muteEnd(now), 'is not', null)
  yield* execute(pending.set({ due_at: null, message_id: null, muted_until: muteEnd(now) }))
}

/** Alerts that wait follow a change of the mute. */
export const moveMutedAlerts = statement(
  ({ orgId, monitorId, until }: { orgId: string; monitorId: string; until: number }) =>
    q
      .updateTable('alerts')
      .set({ muted_until: until })
      .where('org_id', '=', orgId)
      .where('monitor_id', '=', monitorId)
      .where('muted_until', 'is not', null),
)

const monitorIsChecked = sql<boolean>`exists (select 1 from monitors m join monitor_states s on s.num = m.num
  where m.org_id = alerts.org_id and m.id = alerts.monitor_id and s.state <> 'PAUSED')`

/** An alert about the end of a problem, the alert about whose start is held back too. */
const endsHeldProblem = sql<boolean>`exists (select 1 from alerts s
  where s.org_id = alerts.org_id and s.contact_id = alerts.contact_id and s.muted_until is not null
    and s.problem_key = case alerts.kind when 'resolved' then alerts.incident_id
      when 'recovered' then 'degraded ' || alerts.monitor_id end
    and s.at = alerts.began_at)`

/** Queues the alerts whose mute has ended, and drops those that are out of date. */
export function* releaseMutedAlerts(now: number): DbWork<void> {
  const ended = q.updateTable('alerts').set({ muted_until: null }).where('muted_until', '<=', now)
  // An acknowledgement is old news by then.
  const isTrue = ended.where('ended_at', 'is', null).where('kind', '!=', 'acknowledged').where(monitorIsChecked)
  yield* execute(isTrue.set({ due_at: now }).where((is) => is.not(endsHeldProblem)))
  yield* execute(ended.set({ outcome: 'MUTED', settled_at: now }))
}
