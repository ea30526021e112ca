import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DAY_MS } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { ReplayLimits } from '../../src/server/api/replay-limits.ts'
import type { Database } from '../../src/storage/database.ts'
import { execute, q } from '../../src/storage/query.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'

const MIB = 1024 * 1024
const MAX_REPLAYS = 50_000
const MAX_BYTES = 100 * MIB

/** Adds replays that were stored an hour ago, one per millisecond. */
async function addReplays(database: Database, orgId: string, count: number, bytes: number): Promise<void> {
  const firstAt = Date.now() + DAY_MS - 60 * 60_000 - count
  await database.write(() =>
    execute(sql`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
      insert into idempotency_records (org_id, key, fingerprint, status, answer, bytes, expires_at)
      select ${sql.lit(orgId)}, 'old-' || i, '', 200, '{}', ${sql.lit(bytes)}, ${sql.lit(firstAt)} + i from n`),
  )
}

async function stored(database: Database, orgId: string) {
  const [row] = await database.read(
    execute(
      q
        .selectFrom('idempotency_records')
        .select([
          sql<number>`cast(count(*) as bigint)`.as('replays'),
          sql<number>`cast(sum(bytes) as bigint)`.as('bytes'),
        ])
        .where('org_id', '=', orgId),
    ),
  )
  return row as { replays: number; bytes: number }
}

async function has(database: Database, orgId: string, key: string): Promise<boolean> {
  const record = q.selectFrom('idempotency_records').select('key').where('org_id', '=', orgId).where('key', '=', key)
  return (await database.read(execute(record))).length > 0
}

forEachEngine('stored replays of an organization', (engine) => {
  const api = useApi(engine)

  test('take at most 100 MiB: the oldest go, and the newest still replay', async () => {
    const { orgId, client } = await api.tenant()
    const { database } = api.server.running
    await addReplays(database, orgId, 100, MIB)
    const { id } = await createMonitor(client)
    const change = (i: number) =>
      client.patch(`/monitors/${id}`, { requestBody: `${i} `.repeat(20_000) }, { 'idempotency-key': `new-${i}` })
    for (let i = 100; i < 180; i += 1) assert.equal((await change(i)).status, 200)
    await eventually(async () => assert.ok((await stored(database, orgId)).bytes <= MAX_BYTES + 6 * MIB))
    assert.equal(await has(database, orgId, 'old-1'), false)
    assert.equal((await change(179)).headers.get('idempotency-replayed'), 'true')
  })

  test('are at most 50,000 per organization', async () => {
    const { orgId } = await api.tenant()
    const other = await api.tenant()
    const { database } = api.server.running
    await addReplays(database, orgId, MAX_REPLAYS + 1_000, 100)
    await addReplays(database, other.orgId, 10, 100)
    const limits = new ReplayLimits(database, silentLog)
    for (let i = 0; i < 999; i += 1) limits.count(orgId, 100)
    await limits.stop()
    assert.equal((await stored(database, orgId)).replays, MAX_REPLAYS + 1_000, 'not checked with every request')
    limits.count(orgId, 100)
    await limits.stop()
    assert.equal((await stored(database, orgId)).replays, MAX_REPLAYS)
    assert.equal(await has(database, orgId, 'old-1000'), false)
    assert.equal(await has(database, orgId, 'old-1001'), true)
    assert.equal((await stored(database, other.orgId)).replays, 10)
  })
})
