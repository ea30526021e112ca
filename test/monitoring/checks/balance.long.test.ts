import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Expression, sql } from 'kysely'
import { execute, q } from '../../../src/storage/query.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const MONITORS = 400
const count: Expression<number> = sql<number>`count(*)`

/** How many monitors each node has, the most first. Paused ones have none. */
async function spread({ running: { database } }: TestServer): Promise<readonly number[]> {
  const rows = await database.read(
    execute(
      q
        .selectFrom('monitor_states')
        .select([sql<number>`count(*)`.as('monitors')])
        .where('claimed_by', 'is not', null)
        .groupBy('claimed_by')
        .orderBy(count, 'desc'),
    ),
  )
  return rows.map(({ monitors }) => monitors)
}

describe('nodes that start and stop', { skip: withoutPostgres }, () => {
  test('a new node gets its share within a minute, and gives it back at once when it stops', async () => {
    await using own = await migratedDatabase()
    await using target = await startHttpTarget()
    await using one = await startTestServer('postgres', { databaseUrl: own.url })
    const client = one.client()
    const create = async (): Promise<void> => {
      for (let i = 0; i < MONITORS / 8; i += 1) {
        await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 300 }))
      }
    }
    await Promise.all(Array.from({ length: 8 }, create))
    await eventually(async () => assert.deepEqual(await spread(one), [MONITORS]), 20_000)
    const two = await startTestServer('postgres', { databaseUrl: own.url })
    try {
      await eventually(async () => {
        const counts = await spread(one)
        assert.equal(
          counts.reduce((sum, monitors) => sum + monitors, 0),
          MONITORS,
        )
        assert.ok((counts[1] ?? 0) >= 0.35 * MONITORS, `the nodes have ${counts}`)
      }, 60_000)
    } finally {
      await two.stop()
    }
    await eventually(async () => assert.deepEqual(await spread(one), [MONITORS]), 5_000)
  })
})
