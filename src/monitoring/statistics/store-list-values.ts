import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { MINUTE_MS } from '../../lib/clock.ts'
import { batch, fromRows, sendAll } from '../../storage/batch.ts'
import type { Database } from '../../storage/database.ts'
import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { uptimeRatios } from '../uptime/compute.ts'
import { EXACT_UP_TO } from './sort-live-values.ts'

const EVERY_MS = 15 * MINUTE_MS
/** Monitors per transaction: bounds how long the event loop is blocked. */
const MONITORS_AT_ONCE = 100
const SETTING = 'list_values_stored_at'

const storedAt = statement((_: object) => q.selectFrom('settings').select('value').where('name', '=', SETTING))

const saveStoredAt = statement(({ value }: { value: string }) =>
  q
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
)

const largeOrganizations = statement((_: object) =>
  q.selectFrom('list_totals').select('org_id').where('kind', '=', 'monitor').where('live', '>', EXACT_UP_TO),
)

interface Position {
  readonly orgId: string
  readonly num: number
}

/**
 * The limit is inside: PostgreSQL then looks up the states of these monitors. With the limit outside it would read the states
 * from their beginning for every batch.
 */
const monitorsAfter = statement(({ orgId, num }: Position) =>
  q
    .selectFrom(
      q
        .selectFrom('listed_monitors')
        .select('num')
        .where('org_id', '=', orgId)
        .where('num', '>', num)
        .orderBy('num')
        .limit(sql.lit(MONITORS_AT_ONCE))
        .as('l'),
    )
    .innerJoin('monitor_states as s', 's.num', 'l.num')
    .select(['s.num', 's.last_response_ms as responseMs', 's.last_checked_at as checkedAt'])
    .where('s.num', '>', num)
    .orderBy('l.num'),
)

interface StoredValues extends Position {
  readonly uptime: number | null
  readonly responseMs: number | null
  readonly checkedAt: number | null
}

const update = batch<StoredValues>(
  { orgId: 'text', num: 'bigint', uptime: 'double precision', responseMs: 'bigint', checkedAt: 'bigint' },
  (v, rows) =>
    fromRows(
      q
        .updateTable('listed_monitors as l')
        .set({ uptime: v.uptime, response_ms: v.responseMs, checked_at: v.checkedAt })
        .where('l.org_id', '=', v.orgId)
        .where('l.num', '=', v.num),
      rows,
    ),
)

/**
 * Stores the uptime and the latest response of monitors of large organizations, every 15 minutes, in small batches. Their
 * lists are sorted by these values; smaller lists are sorted by the live ones. One node does it, under a lock. If it does not
 * finish, another one begins again.
 */
export async function storeListValues(database: Database, now: number, signal: AbortSignal): Promise<void> {
  if (!(await isDue(database, now))) return
  const lock = await database.tryLock('list values')
  if (lock === undefined) return
  try {
    // Another node may have finished before the lock was taken.
    if (!(await isDue(database, now))) return
    await storeAll(database, now, signal)
    if (!signal.aborted) await database.write(() => run(saveStoredAt, { value: String(now) }))
  } finally {
    await lock.release()
  }
}

/** Also after the clock was set back. */
async function isDue(database: Database, now: number): Promise<boolean> {
  const last = await database.read(first(storedAt, {}))
  return last === undefined || now - Number(last.value) >= EVERY_MS || now < Number(last.value)
}

async function storeAll(database: Database, now: number, signal: AbortSignal): Promise<void> {
  for (const { org_id: orgId } of await database.read(all(largeOrganizations, {}))) {
    for (let after: number | undefined = 0; after !== undefined && !signal.aborted; ) {
      const num: number = after
      after = await database.write(() => storeSome({ orgId, num }, now))
      await setImmediate()
    }
  }
}

function* storeSome({ orgId, num }: Position, now: number): DbWork<number | undefined> {
  const rows = yield* all(monitorsAfter, { orgId, num })
  const uptimes = yield* uptimeRatios(
    rows.map((row) => row.num),
    '30d',
    now,
  )
  yield* sendAll(
    update,
    rows.map(({ num: its, responseMs, checkedAt }) => {
      return { orgId, num: its, uptime: uptimes.get(its) ?? null, responseMs, checkedAt }
    }),
  )
  return rows.length < MONITORS_AT_ONCE ? undefined : rows.at(-1)?.num
}
