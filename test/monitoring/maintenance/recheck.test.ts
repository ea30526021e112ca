import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueRecheck, recheckSome } from '../../../src/monitoring/maintenance/recheck.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { fill } from '../../support/tables.ts'

/** Runs all steps. Returns how many monitors each of them made due. */
async function steps(database: Database, now: number): Promise<number[]> {
  const counts: number[] = []
  for (;;) {
    const count = await database.write(() => recheckSome(now))
    if (count === undefined) return counts
    counts.push(count)
  }
}

forEachEngine('the check after a window', (engine) => {
  const api = useApi(engine)
  const states = async (orgId: string) => {
    const rows = q
      .selectFrom('monitor_states')
      .select(['num', 'next_check_at', 'revision', 'claimed_by'])
      .where('org_id', '=', orgId)
      .orderBy('num')
    return (await api.server.running.database.read(execute(rows))).map((row) => ({ ...row }))
  }

  test('of all monitors is made in steps of 500, once for each of thousands', async () => {
    const { database } = api.server.running
    const [own, other] = [await api.tenant(), await api.tenant()]
    await fill(api.server, own.orgId, 1_203)
    await fill(api.server, other.orgId, 3)
    const before = await states(own.orgId)
    const others = await states(other.orgId)
    const now = Date.now() + 86_400_000
    await database.write(() => queueRecheck(own.orgId, null, now))
    assert.deepEqual(await steps(database, now), [500, 500, 203])
    const after = await states(own.orgId)
    assert.deepEqual(
      after,
      before.map((row) => ({ ...row, next_check_at: now, revision: row.revision + 1 })),
    )
    assert.deepEqual(await states(other.orgId), others)
  })

  test('continues after an interruption, and skips monitors that are never due', async () => {
    const { database } = api.server.running
    const { orgId, client } = await api.tenant()
    const paused = await createMonitor(client, smallest('HTTP'))
    await client.post(`/monitors/${paused.id}/pause`, {})
    await createMonitor(client, smallest('CRON'))
    await fill(api.server, orgId, 600)
    const now = Date.now() + 86_400_000
    await database.write(() => queueRecheck(orgId, null, now))
    assert.equal(await database.write(() => recheckSome(now)), 498)
    await database.write(() => queueRecheck(orgId, '[]', now))
    assert.deepEqual(await steps(database, now + 1), [102])
    const due = (await states(orgId)).map(({ next_check_at: at }) => at)
    assert.deepEqual(due.slice(0, 2), [null, null])
    assert.equal(due.filter((at) => at === now).length, 498)
    assert.equal(due.filter((at) => at === now + 1).length, 102)
  })

  test('ends a claim, because a check in flight began inside the window', async () => {
    const { database } = api.server.running
    const { orgId, client } = await api.tenant()
    await createMonitor(client, smallest('HTTP'))
    await database.write(() =>
      execute(q.updateTable('monitor_states').set({ claimed_by: 'x' }).where('org_id', '=', orgId)),
    )
    const [{ num, revision } = { num: 0, revision: 0 }] = await states(orgId)
    await database.write(() => queueRecheck(orgId, JSON.stringify([num, 999_999_999]), 5))
    assert.deepEqual(await steps(database, 5), [1])
    assert.deepEqual(await states(orgId), [{ num, next_check_at: 5, revision: revision + 1, claimed_by: null }])
  })
})
