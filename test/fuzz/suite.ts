import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { type Kind, kinds, runPlan } from './run.ts'
import { LIMIT_MS, SEED } from './search.ts'
import { type FuzzTarget, startFuzzTarget } from './target.ts'

const guarantees: Readonly<Record<Kind, string>> = {
  requests: 'every request made from the OpenAPI document is answered as the document says',
  garbage: 'whatever bytes arrive, the answers are well-formed and the server goes on',
}

/** Runs this many cases of each kind on each engine. */
export function fuzz(cases: Readonly<Record<Kind, number>>): void {
  forEachEngine('fuzz', (engine) => {
    let world: FuzzTarget
    before(async () => {
      world = await startFuzzTarget(engine)
    })
    after(() => world[Symbol.asyncDispose]())

    for (const kind of kinds) {
      test(guarantees[kind], async (t) => {
        const { failure, ran } = await runPlan(world, { kind, seed: SEED, cases: cases[kind], limitMs: LIMIT_MS })
        assert.equal(failure, undefined, `${failure?.report}\nseed ${SEED}, path ${failure?.path}`)
        t.diagnostic(`${ran} cases, seed ${SEED}`)
      })
    }
  })
}
