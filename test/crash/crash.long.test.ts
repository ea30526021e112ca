import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { ordeal } from './ordeal.ts'

/** Set it to have the same writers and the same pauses between kills again; where a kill hits is never quite the same. */
const seed = Number(process.env.PHAROS_TEST_SEED ?? randomInt(1_000_000))

forEachEngine('under kill -9', (engine) => {
  // Two nodes are down at the same time quite often, so each lives longer.
  const shape =
    engine === 'sqlite'
      ? { nodes: 1, writers: 6, killsPerNode: 30, longestLifeMs: 500, cuts: 0 }
      : { nodes: 2, writers: 6, killsPerNode: 16, longestLifeMs: 900, cuts: 12 }

  test('no acknowledged change is lost, none happens twice, and no key is ever stuck', async (t) => {
    t.diagnostic(`seed ${seed} (PHAROS_TEST_SEED)`)
    const tally = await ordeal({ engine, seed, ...shape })
    t.diagnostic(JSON.stringify(tally))
    assert.ok(tally.kills >= 30)
    if (engine === 'sqlite') assert.equal(tally.failed, 0, 'no request fails but for a lost connection')
    assert.ok(tally.lostConnections > 0 && tally.thrownAway > 0 && tally.replayed > 0, 'the ordeal was one')
  })
})
