import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { ProtectedSettings } from '../monitor-settings/secrets.ts'
import { parseSettings, renderSettings } from '../monitor-settings/stored.ts'
import { relistMonitor } from './listed.ts'
import type { MonitorToChange } from './queries.ts'

interface MonitorValues {
  orgId: string
  num: number
  name: string
  type: string
  rendered: string
  secrets: string | null
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
      secrets: m.secrets,
      heartbeat_token: m.token,
      updated_at: m.now,
    })
    .where('org_id', '=', m.orgId)
    .where('num', '=', m.num),
)

export interface MonitorChange {
  readonly settings?: ProtectedSettings
  readonly token?: string | null
}

export function* saveMonitor(
  orgId: string,
  monitor: MonitorToChange,
  change: MonitorChange,
  now: number,
): DbWork<void> {
  const { num, id, created_at: createdAt } = monitor
  const unchanged = { masked: parseSettings(monitor.rendered), secrets: monitor.secrets }
  const { settings: { masked, secrets } = unchanged, token = monitor.heartbeat_token } = change
  const rendered = renderSettings({ id, createdAt, updatedAt: now }, masked)
  yield* run(updateMonitor, { orgId, num, name: masked.name, type: masked.type, rendered, secrets, token, now })
  if (change.settings !== undefined) yield* relistMonitor(orgId, num, masked)
}
