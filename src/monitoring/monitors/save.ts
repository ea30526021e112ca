import { batch, fromRows, sendAll } from '../../storage/batch.ts'
import { type DbWork, q } from '../../storage/query.ts'
import type { ProtectedSettings } from '../monitor-settings/secrets.ts'
import { parseSettings, renderSettings } from '../monitor-settings/stored.ts'
import { type StoredToken, saveToken } from './heartbeat-token.ts'
import { relistMonitors } from './listed.ts'
import type { MonitorToChange } from './queries.ts'

interface MonitorValues {
  orgId: string
  num: number
  name: string
  type: string
  rendered: string
  secrets: string | null
  now: number
}

const types = {
  orgId: 'text',
  num: 'bigint',
  name: 'text',
  type: 'text',
  rendered: 'text',
  secrets: 'text',
  now: 'bigint',
} as const

const update = batch<MonitorValues>(types, (m, rows) =>
  fromRows(
    q
      .updateTable('monitors as m')
      .set({
        name: m.name,
        type: m.type,
        rendered: m.rendered,
        secrets: m.secrets,
        updated_at: m.now,
      })
      .where('m.org_id', '=', m.orgId)
      .where('m.num', '=', m.num),
    rows,
  ),
)

/** A monitor that is locked, with what changes besides the time of the change. */
export interface MonitorChange {
  readonly monitor: MonitorToChange
  readonly settings?: ProtectedSettings
  /** Null removes it. */
  readonly token?: StoredToken | null
}

/** Saves monitors and returns what events render of each. */
export function* saveMonitors(
  orgId: string,
  changes: readonly MonitorChange[],
  now: number,
): DbWork<readonly Pick<MonitorToChange, 'rendered' | 'heartbeat_token'>[]> {
  const values = changes.map((change) => valuesOf(orgId, change, now))
  yield* sendAll(update, values)
  for (const { monitor, token } of changes) if (token !== undefined) yield* saveToken(orgId, monitor.num, token)
  yield* relistMonitors(
    orgId,
    changes.flatMap(({ monitor: { num }, settings }) =>
      settings === undefined ? [] : [{ num, masked: settings.masked }],
    ),
  )
  return values.map(({ rendered }, i) => {
    const { monitor, token } = changes[i] as MonitorChange
    return { rendered, heartbeat_token: token === undefined ? monitor.heartbeat_token : (token?.sealed ?? null) }
  })
}

function valuesOf(orgId: string, change: MonitorChange, now: number): MonitorValues {
  const { monitor } = change
  const { num, id, created_at: createdAt } = monitor
  const { masked, secrets } = change.settings ?? {
    masked: parseSettings(monitor.rendered),
    secrets: monitor.secrets,
  }
  const rendered = renderSettings({ id, createdAt, updatedAt: now }, masked)
  return { orgId, num, name: masked.name, type: masked.type, rendered, secrets, now }
}
