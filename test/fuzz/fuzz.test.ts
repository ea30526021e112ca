import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { type Kind, runPlan } from './run.ts'
import { openWorld, type World } from './world.ts'

/** Fixed, so that this short run is the same for everybody; `npm run fuzz` draws a new one each time. */
const SEED = 20_260_101
const cases: Readonly<Record<Kind, number>> = { requests: 1_000, garbage: 600 }

forEachEngine('fuzz', (engine) => {
  let world: World
  before(async () => {
    world = await openWorld(engine)
  })
  after(() => world[Symbol.asyncDispose]())

  const guarantees: Readonly<Record<Kind, string>> = {
    requests: 'every request made from the OpenAPI document is answered as the contract says',
    garbage: 'whatever bytes arrive, the answers are well-formed and the server lives on',
  }
  for (const kind of ['requests', 'garbage'] as const) {
    test(guarantees[kind], async (t) => {
      const { failure, ran } = await runPlan(world, { kind, seed: SEED, cases: cases[kind], limitMs: 60_000 })
      assert.equal(failure, undefined, `${failure?.report}\nseed ${SEED}, path ${failure?.path}`)
      t.diagnostic(`${ran} cases, seed ${SEED}`)
    })
  }
})
