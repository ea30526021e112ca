import { sql } from 'kysely'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'

/**
 * Alerts of a muted monitor wait for the end of the mute (`muted_until`, with no `due_at`). What is over by then is not
 * announced: neither a problem that began and ended during the mute, nor one of a monitor that was paused or deleted.
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

/** Queues the alerts whose mute has ended, and drops those that are out of date. */
export function* releaseMutedAlerts(now: number): DbWork<void> {
  const ended = q.updateTable('alerts').set({ muted_until: null }).where('muted_until', '<=', now)
  yield* execute(ended.set({ due_at: now }).where('ended_at', 'is', null).where(monitorIsChecked))
  yield* execute(ended.set({ outcome: 'MUTED', settled_at: now }))
}
