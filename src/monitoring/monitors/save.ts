import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { settingsIn, settingsText } from '../monitor-settings/stored.ts'
import type { MonitorToChange } from './queries.ts'

interface Saved {
  orgId: string
  num: number
  name: string
  type: string
  shown: string
  token: string | null
  now: number
}

const updateMonitor = statement((m: Saved) =>
  q
    .updateTable('monitors')
    .set({
      name: m.name,
      type: m.type,
      shown: m.shown,
      heartbeat_token: m.token,
      updated_at: m.now,
    })
    .where('org_id', '=', m.orgId)
    .where('num', '=', m.num),
)

export interface MonitorChange {
  readonly settings?: MonitorSettings
  readonly token?: string | null
}

/** Writes what the user changed. */
export function* saveMonitor(
  orgId: string,
  monitor: MonitorToChange,
  change: MonitorChange,
  now: number,
): DbWork<void> {
  const { settings = settingsIn(monitor.shown), token = monitor.heartbeat_token } = change
  const { num, id, created_at: createdAt } = monitor
  const shown = settingsText({ id, createdAt, updatedAt: now }, settings)
  yield* run(updateMonitor, { orgId, num, name: settings.name, type: settings.type, shown, token, now })
}
