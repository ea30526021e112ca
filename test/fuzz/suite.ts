import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { type Kind, kinds, runPlan } from './run.ts'
import { type FuzzTarget, startFuzzTarget } from './target.ts'

/** Fixed, so that everybody's run is the same; `npm run fuzz` draws a new one each time. */
const SEED = 20_260_101
/** Bounds a run that makes no progress; no run takes so long. */
const LIMIT_MS = 10 * 60_000

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
