import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type RawAnswer, runConnection } from '../support/raw-http.ts'
import { caseOf } from './cases.ts'
import { attackOf } from './garbage.ts'
import { complaintsAbout, headerOf } from './judge.ts'
import { Lane } from './lane.ts'
import type { Attack } from './unrest.ts'
import type { World } from './world.ts'

/** `requests`: over the document, each answer predicted. `garbage`: on bare sockets, each answer well-formed. */
export const kinds = ['requests', 'garbage'] as const
export type Kind = (typeof kinds)[number]

export interface Plan {
  readonly kind: Kind
  readonly seed: number
  readonly cases: number
  /** Replays one case of a run with this seed. */
  readonly path?: string | undefined
  readonly limitMs: number
  /** Told after every case. */
  readonly onCase?: () => void
}

export interface Verdict {
  readonly ran: number
  /** Absent where nothing was found. */
  readonly failure?: { readonly path: string; readonly report: string }
}

/** Runs the cases of a plan one after the other; the first fault ends it, reduced to the smallest case that shows it. */
export async function runPlan(world: World, plan: Plan): Promise<Verdict> {
  const lane = await Lane.open(world)
  try {
    const verdict =
      plan.kind === 'requests'
        ? await search(plan, caseOf(world.operations), (made) => lane.run(made))
        : await search(plan, attackOf(world.server.key), async (attack) => {
            await endure(world, attack)
            await lane.alive()
          })
    if (verdict.failure === undefined) await lane.finish()
    return verdict
  } finally {
    lane.close()
  }
}

/** The cases that run at this moment: should the process itself die, one of them killed it. */
export const underWay = new Set<unknown>()

async function search<T>(plan: Plan, made: fc.Arbitrary<T>, hold: (made: T) => Promise<void>): Promise<Verdict> {
  const { seed, cases, path, limitMs, onCase } = plan
  const property = fc.asyncProperty(made, async (one) => {
    underWay.add(one)
    await hold(one).finally(() => underWay.delete(one))
    onCase?.()
  })
  const verdict = await fc.check(property, {
    seed,
    numRuns: cases,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
    interruptAfterTimeLimit: limitMs,
    markInterruptAsFailure: true,
  })
  if (!verdict.failed) return { ran: verdict.numRuns }
  const { counterexample, counterexamplePath, errorInstance, numRuns } = verdict
  const fault = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  const report =
    counterexample === null ? `Interrupted after ${limitMs} ms` : `${fc.stringify(counterexample)}\n${fault}`
  return { ran: numRuns, failure: { path: counterexamplePath ?? '', report } }
}

/** The server answers as HTTP allows and ends the connection. */
async function endure(world: World, attack: Attack): Promise<void> {
  const { answers, rest, end } = await runConnection(world.port, attack.moves)
  const shown = `${attack.kind}: ${JSON.stringify(answers.map(({ status, body }) => [status, body.slice(0, 200)]))}`
  assert.notEqual(end, 'open', `the connection was left open: ${shown}`)
  assert.equal(rest, '', `something came that is no answer: ${shown}`)
  for (const answer of answers) {
    const wrong = isElsewhere(attack, answer) ? elsewhereComplaints(answer) : complaintsAbout(answer)
    assert.deepEqual(wrong, [], shown)
  }
  assert.ok(answers.length >= attack.atLeast, `${answers.length} answers instead of ${attack.atLeast}: ${shown}`)
}

/** Outside /api/v1 there are the open endpoints and a plain 404, which have no rate to speak of. */
function isElsewhere({ stray }: Attack, answer: RawAnswer): boolean {
  return stray && !answer.headers.has('ratelimit') && (answer.status === 404 || answer.status === 200)
}

function elsewhereComplaints(answer: RawAnswer): string[] {
  if (answer.status === 200) return []
  const { error } = JSON.parse(answer.body)
  return error.code === 'not_found' && error.requestId === headerOf(answer, 'x-request-id') ? [] : ['no envelope']
}
