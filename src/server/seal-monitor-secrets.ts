import { maskHeartbeatUrl, sealHeartbeatToken } from '../events/heartbeat-token.ts'
import type { Log } from '../lib/log.ts'
import { maskUrl, maskValue } from '../lib/mask.ts'
import type { Sealer } from '../lib/seal.ts'
import { secrecyOf } from '../lib/secret-fields.ts'
import { protectSettings } from '../monitoring/monitor-settings/secrets.ts'
import { parseSettings, renderSettings } from '../monitoring/monitor-settings/stored.ts'
import { protectToken, saveToken } from '../monitoring/monitors/heartbeat-token.ts'
import type { Database } from '../storage/database.ts'
import { all, type DbWork, q, run, statement } from '../storage/query.ts'
import { BATCH_SIZE, type Batch, batchOf, inBatches, oncePerDatabase } from '../storage/upgrade-rows.ts'

const SETTING = 'monitor_secrets_sealed'

/**
 * Once after the upgrade to schema 37: encrypts the secrets and heartbeat tokens of existing monitors, masks them in stored events
 * and alerts, and removes old copies from the database file. Works in batches. A start that is interrupted does it again.
 */
export function sealMonitorSecrets(database: Database, sealer: Sealer, log: Log): Promise<void> {
  return oncePerDatabase(database, SETTING, async () => {
    const monitors = await inBatches(database, 0, (after) => sealMonitors(after, sealer, log))
    const tokens = await inBatches(database, 0, (after) => sealTokens(after, sealer))
    const events = await inBatches(database, { orgId: '', id: '' }, (after) => maskEvents(after, sealer))
    const alerts = await inBatches(database, 0, maskAlerts)
    // Also if no row has changed: an interrupted start may have changed them, and deleted rows are still in the file.
    await eraseOldCopies(database, log)
    // A new installation has none.
    if (monitors + tokens + events + alerts > 0) {
      log.info({ monitors, tokens, events, alerts }, 'monitor secrets encrypted')
    }
  })
}

/** Locked: two nodes that start together must not seal a row twice. */
const monitorsAfter = statement(({ num }: { num: number }) =>
  q
    .selectFrom('monitors')
    .select(['num', 'org_id', 'id', 'rendered', 'created_at', 'updated_at'])
    .where('num', '>', num)
    .where('secrets', 'is', null)
    .orderBy('num')
    .limit(BATCH_SIZE)
    .forUpdate(),
)

const saveMonitor = statement((m: { num: number; rendered: string; secrets: string }) =>
  q.updateTable('monitors').set({ rendered: m.rendered, secrets: m.secrets }).where('num', '=', m.num),
)

function* sealMonitors(after: number, sealer: Sealer, log: Log): DbWork<Batch<number>> {
  let changed = 0
  const rows = yield* all(monitorsAfter, { num: after })
  for (const row of rows) {
    const sealed = sealedSettings(row, sealer, log)
    if (sealed === undefined) continue
    yield* run(saveMonitor, { num: row.num, ...sealed })
    changed += 1
  }
  return batchOf(rows, ({ num }) => num, changed)
}

interface MonitorRow {
  readonly num: number
  readonly org_id: string
  readonly id: string
  readonly rendered: string
  readonly created_at: number
  readonly updated_at: number
}

/** Undefined for a monitor without secrets, and for one whose row cannot be read: it must not prevent the start. */
function sealedSettings(row: MonitorRow, sealer: Sealer, log: Log): { rendered: string; secrets: string } | undefined {
  const { num, org_id: orgId, id, created_at: createdAt, updated_at: updatedAt } = row
  try {
    const { masked, secrets } = protectSettings(parseSettings(row.rendered), { orgId, id }, sealer)
    return secrets === null ? undefined : { rendered: renderSettings({ id, createdAt, updatedAt }, masked), secrets }
  } catch (error) {
    log.error({ err: error, monitor: num }, 'settings of a monitor cannot be read; its secrets stay unencrypted')
    return undefined
  }
}

const tokensAfter = statement(({ num }: { num: number }) =>
  q
    .selectFrom('monitors')
    .select(['num', 'org_id', 'id', 'heartbeat_token'])
    .where('num', '>', num)
    .where('heartbeat_token', 'is not', null)
    .where('heartbeat_hash', 'is', null)
    .orderBy('num')
    .limit(BATCH_SIZE)
    .forUpdate(),
)

function* sealTokens(after: number, sealer: Sealer): DbWork<Batch<number>> {
  const rows = yield* all(tokensAfter, { num: after })
  for (const { num, org_id: orgId, id, heartbeat_token: token } of rows) {
    yield* saveToken(orgId, num, protectToken(token ?? '', { orgId, id }, sealer))
  }
  return batchOf(rows, ({ num }) => num, rows.length)
}

interface EventKey {
  readonly orgId: string
  readonly id: string
}

const eventsAfter = statement(({ orgId, id }: EventKey) =>
  q
    .selectFrom('events')
    .select(['org_id', 'id', 'body'])
    .where('heartbeat_token', 'is', null)
    .where((is) => is.or([is('org_id', '>', orgId), is.and([is('org_id', '=', orgId), is('id', '>', id)])]))
    .orderBy('org_id')
    .orderBy('id')
    .limit(BATCH_SIZE),
)

const saveEvent = statement((e: EventKey & { body: string; token: string | null }) =>
  q
    .updateTable('events')
    .set({ body: e.body, heartbeat_token: e.token })
    .where('org_id', '=', e.orgId)
    .where('id', '=', e.id),
)

function* maskEvents(after: EventKey, sealer: Sealer): DbWork<Batch<EventKey>> {
  let changed = 0
  const rows = yield* all(eventsAfter, after)
  for (const { org_id: orgId, id, body } of rows) {
    const masked = maskEvent(orgId, body, sealer)
    if (masked.body === body) continue
    yield* run(saveEvent, { orgId, id, ...masked })
    changed += 1
  }
  return batchOf(rows, ({ org_id: orgId, id }) => ({ orgId, id }), changed)
}

/** The fields of a monitor that can contain secrets. Data of other resources has no such fields. */
const monitorSecretFields = ['url', 'requestHeaders', 'requestBody']

function maskEvent(orgId: string, body: string, sealer: Sealer): { body: string; token: string | null } {
  const event = parseObject(body)
  if (event === undefined) return { body, token: null }
  for (const field of monitorSecretFields) {
    if (event.data?.[field] !== undefined) event.data[field] = maskValue(secrecyOf(field), event.data[field])
  }
  const { id, heartbeatUrl } = event.data ?? {}
  if (event.data === undefined || typeof heartbeatUrl !== 'string') return { body: JSON.stringify(event), token: null }
  event.data.heartbeatUrl = maskHeartbeatUrl(heartbeatUrl)
  const token = heartbeatUrl.slice(heartbeatUrl.lastIndexOf('/') + 1)
  return { body: JSON.stringify(event), token: sealHeartbeatToken(token, { orgId, id: `${id}` }, sealer) }
}

/** Undefined for a damaged row: it must not prevent the start. */
function parseObject(text: string): { data?: Record<string, unknown> } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const alertsAfter = statement(({ num }: { num: number }) =>
  q
    .selectFrom('alerts')
    .select(['num', 'target'])
    .where('num', '>', num)
    .where('target', 'is not', null)
    .orderBy('num')
    .limit(BATCH_SIZE),
)

const saveAlert = statement((a: { num: number; target: string }) =>
  q.updateTable('alerts').set({ target: a.target }).where('num', '=', a.num),
)

function* maskAlerts(after: number): DbWork<Batch<number>> {
  let changed = 0
  const rows = yield* all(alertsAfter, { num: after })
  for (const { num, target } of rows) {
    const masked = maskUrl(target ?? '')
    if (masked === target) continue
    yield* run(saveAlert, { num, target: masked })
    changed += 1
  }
  return batchOf(rows, ({ num }) => num, changed)
}

async function eraseOldCopies(database: Database, log: Log): Promise<void> {
  try {
    await database.eraseDeletedData()
  } catch (error) {
    log.warn(
      { err: error },
      'database file still contains unencrypted copies of monitor secrets; free disk space, stop Pharos and run "vacuum" with the sqlite3 command',
    )
  }
}
