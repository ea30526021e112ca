import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LIMIT_MS, SEED } from '../search.ts'
import { type AttackedServer, startAttackedServer } from './attacked-server.ts'
import { type ForeignKind, runForeignPlan } from './run.ts'

const guarantees: Readonly<Record<ForeignKind, string>> = {
  documents: 'whatever document or history is sent, the server answers it and goes on',
  answers: 'whatever a target, receiver, token endpoint or other tool answers, the server goes on',
  dumps: 'whatever files of another tool are uploaded, their reader ends and the server goes on',
  patterns: 'whatever patterns and paths are saved, the server decides on them in short turns',
}

/** Runs this many cases of each kind. What they attack is the same on both engines. */
export function fuzzForeignInput(cases: Partial<Readonly<Record<ForeignKind, number>>>): void {
  describe('foreign input', () => {
    let server: AttackedServer
    before(async () => {
      server = await startAttackedServer()
    })
    after(() => server[Symbol.asyncDispose]())

    for (const [kind, count] of Object.entries(cases) as [ForeignKind, number][]) {
      test(guarantees[kind], async (t) => {
        const plan = { kind, seed: SEED, cases: count, limitMs: LIMIT_MS }
        const { failure, ran } = await runForeignPlan(server, plan)
        const again = `npm run fuzz -- --kind ${kind} --seed ${SEED} --path ${failure?.path}`
        assert.equal(failure, undefined, `${failure?.report}\nAgain: ${again}`)
        t.diagnostic(`${ran} cases, seed ${SEED}`)
      })
    }
  })
}
