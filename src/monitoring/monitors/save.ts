import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { parseSettings, renderSettings } from '../monitor-settings/stored.ts'
import type { MonitorToChange } from './queries.ts'

interface MonitorValues {
  orgId: string
  num: number
  name: string
  type: string
  rendered: string
  token: string | null
  now: number
}

const updateMonitor = statement((m: MonitorValues) =>
  q
    .updateTable('monitors')
    .set({
      name: m.name,
      type: m.type,
      rendered: m.rendered,
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

export function* saveMonitor(
  orgId: string,
  monitor: MonitorToChange,
  change: MonitorChange,
  now: number,
): DbWork<void> {
  const { settings = parseSettings(monitor.rendered), token = monitor.heartbeat_token } = change
  const { num, id, created_at: createdAt } = monitor
  const rendered = renderSettings({ id, createdAt, updatedAt: now }, settings)
  yield* run(updateMonitor, { orgId, num, name: settings.name, type: settings.type, rendered, token, now })
}
