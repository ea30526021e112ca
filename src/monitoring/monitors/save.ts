import { invalid } from '../../contract/errors.ts'
import { batch, fromRows, sendAll } from '../../storage/batch.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ProtectedSettings } from '../monitor-settings/secrets.ts'
import { columnsOf, type ListKeys, type SettingsColumns } from '../monitor-settings/stored.ts'
import { type StoredToken, saveToken } from './heartbeat-token.ts'
import type { MonitorToChange } from './queries.ts'

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

/** Of any organization: an old address leads to one monitor. */
const otherWith = statement(({ num, hash }: { num: number; hash: string }) =>
  q.selectFrom('monitors').select('num').where('legacy_hash', '=', hash).where('num', '<>', num),
)

const saveHash = statement((l: { orgId: string; num: number; hash: string | null }) =>
  q.updateTable('monitors').set({ legacy_hash: l.hash }).where('org_id', '=', l.orgId).where('num', '=', l.num),
)

/** Lets signals on an old address find the monitor; null ends that. */
function* saveLegacyHash(orgId: string, num: number, hash: string | null): DbWork<void> {
  if (hash !== null && (yield* first(otherWith, { num, hash })) !== undefined) {
    throw invalid([{ path: 'token', message: 'is the old address of another monitor already' }])
  }
  yield* run(saveHash, { orgId, num, hash })
}
