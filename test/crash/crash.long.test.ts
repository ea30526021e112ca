import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { rounds } from '../support/rounds.ts'
import { runUnderKills } from './run.ts'

/** The same seed gives the same writers and the same pauses between kills; the moment of a kill still varies. */
const seed = Number(process.env.PHAROS_TEST_SEED ?? randomInt(1_000_000))

forEachEngine('under kill -9', (engine) => {
  // Both nodes are often down at the same time, so each runs longer.
  const shape =
    engine === 'sqlite'
      ? { nodes: 1, writers: 6, killsPerNode: 10 * rounds, maxUptimeMs: 500, connectionCuts: 0 }
      : { nodes: 2, writers: 6, killsPerNode: 5 * rounds, maxUptimeMs: 900, connectionCuts: 4 * rounds }

  test('no acknowledged change is lost or applied twice, and no idempotency key is stuck', async (t) => {
    t.diagnostic(`seed ${seed} (PHAROS_TEST_SEED)`)
    const counts = await runUnderKills({ engine, seed, ...shape })
    t.diagnostic(JSON.stringify(counts))
    if (engine === 'sqlite') assert.equal(counts.failed, 0, 'requests fail only with their connection')
    assert.ok(
      counts.lostConnections > 0 && counts.discarded > 0 && counts.replayed > 0,
      'connections were lost, responses discarded and replayed',
    )
  })
})
