import type { Updateable } from 'kysely'
import { batch, fromRows, sendAll } from '../../storage/batch.ts'
import { UniqueViolation } from '../../storage/database.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ProtectedSettings } from '../monitor-settings/secrets.ts'
import { columnsOf, type ListKeys, type SettingsColumns } from '../monitor-settings/stored.ts'
import type { StoredToken } from './heartbeat-token.ts'
import type { MonitorToChange } from './queries.ts'
import { oldAddressTaken } from './require-free-address.ts'

interface MonitorValues extends SettingsColumns, ListKeys {
  orgId: string
  num: number
  secrets: string | null
  now: number
}

const types = {
  orgId: 'text',
  num: 'bigint',
  name: 'text',
  name_key: 'text',
  target_key: 'text',
  type: 'text',
  interval_seconds: 'bigint',
  expected_period_seconds: 'bigint',
  grace_seconds: 'bigint',
  settings: 'text',
  options: 'text',
  secrets: 'text',
  now: 'bigint',
} as const

const update = batch<MonitorValues>(types, (m, rows) =>
  fromRows(
    q
      .updateTable('monitors as m')
      .set({
        name: m.name,
        name_key: m.name_key,
        target_key: m.target_key,
        type: m.type,
        interval_seconds: m.interval_seconds,
        expected_period_seconds: m.expected_period_seconds,
        grace_seconds: m.grace_seconds,
        settings: m.settings,
        options: m.options,
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

/** Saves monitors and returns their new rows, for events. */
export function* saveMonitors(
  orgId: string,
  changes: readonly MonitorChange[],
  now: number,
): DbWork<readonly MonitorToChange[]> {
  const saved = changes.map((change) => changed(change, now))
  yield* sendAll(
    update,
    saved.map((row) => ({ ...row, orgId, now })),
  )
  for (const { monitor, token } of changes) if (token !== undefined) yield* saveToken(orgId, monitor.num, token)
  for (const { monitor, settings } of changes) {
    const had = monitor.options?.includes('"legacyAddress"') === true
    if (settings !== undefined && (had || settings.legacyHash !== null)) {
      yield* saveLegacyHash(orgId, monitor.num, settings.legacyHash)
    }
  }
  return saved
}

function changed({ monitor, settings, token }: MonitorChange, now: number): MonitorToChange {
  return {
    ...monitor,
    ...(settings !== undefined && { ...columnsOf(settings), secrets: settings.secrets }),
    ...(token !== undefined && { heartbeat_token: token?.sealed ?? null }),
    updated_at: now,
  }
}

/** The earlier heartbeat URL stops working. Null for a monitor of another type, which has no URL. */
function* saveToken(orgId: string, num: number, token: StoredToken | null): DbWork<void> {
  yield* setColumns(orgId, num, { heartbeat_hash: token?.hash ?? null, heartbeat_token: token?.sealed ?? null })
}

/** Lets signals on an old address find the monitor; null ends that. Another transaction may have taken the address since it was free. */
function* saveLegacyHash(orgId: string, num: number, hash: string | null): DbWork<void> {
  try {
    yield* setColumns(orgId, num, { legacy_hash: hash })
  } catch (error) {
    throw error instanceof UniqueViolation ? oldAddressTaken() : error
  }
}

function* setColumns(orgId: string, num: number, columns: Updateable<Schema['monitors']>): DbWork<void> {
  yield* execute(q.updateTable('monitors').set(columns).where('org_id', '=', orgId).where('num', '=', num))
}
