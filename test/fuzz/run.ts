import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type RawAnswer, runConnection } from '../support/raw-http.ts'
import type { Attack } from './attacks.ts'
import { headerOf, problemsOf } from './check-response.ts'
import { Lane } from './lane.ts'
import { attackOf } from './malformed-requests.ts'
import { caseOf } from './request-cases.ts'
import type { FuzzTarget } from './target.ts'

/** `requests`: made from the document, each response as it says. `garbage`: raw bytes, each response well-formed. */
export const kinds = ['requests', 'garbage'] as const
export type Kind = (typeof kinds)[number]

export interface Plan {
  readonly kind: Kind
  readonly seed: number
  readonly cases: number
  /** Replays one case of a run with this seed. */
  readonly path?: string | undefined
  readonly limitMs: number
  /** Called after every case. */
  readonly onCase?: () => void
}

export interface PlanResult {
  readonly ran: number
  /** Absent if no case failed. */
  readonly failure?: { readonly path: string; readonly report: string }
}

/** Runs the cases one after the other. The first failure ends the run and is reduced to a minimal case. */
export async function runPlan(world: FuzzTarget, plan: Plan): Promise<PlanResult> {
  const lane = await Lane.open(world)
  try {
    return plan.kind === 'requests'
      ? await search(plan, caseOf(world.operations), (created) => lane.run(created))
      : await search(plan, attackOf(world.server.key), async (attack) => {
          await runAttack(world, attack)
          await lane.alive()
        })
  } finally {
    lane.close()
  }
}

/** The cases that are running; if the process crashes, one of them is the cause. */
export const runningCases = new Set<unknown>()

async function search<T>(
  plan: Plan,
  created: fc.Arbitrary<T>,
  hold: (created: T) => Promise<void>,
): Promise<PlanResult> {
  const { seed, cases, path, limitMs, onCase } = plan
  const property = fc.asyncProperty(created, async (one) => {
    runningCases.add(one)
    await hold(one).finally(() => runningCases.delete(one))
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

/** The server sends valid HTTP responses and closes the connection. */
async function runAttack(world: FuzzTarget, attack: Attack): Promise<void> {
  const { answers, rest, end } = await runConnection(world.port, attack.moves)
  const shown = `${attack.kind}: ${JSON.stringify(answers.map(({ status, body }) => [status, body.slice(0, 200)]))}`
  assert.notEqual(end, 'open', `the connection was left open: ${shown}`)
  assert.equal(rest, '', `something came that is no answer: ${shown}`)
  for (const answer of answers) {
    const wrong = isOutsideApi(attack, answer) ? otherResponseProblems(answer) : problemsOf(answer)
    assert.deepEqual(wrong, [], shown)
  }
  assert.ok(answers.length >= attack.atLeast, `${answers.length} answers instead of ${attack.atLeast}: ${shown}`)
}

/** Responses outside /api/v1 have no rate-limit headers. */
function isOutsideApi({ mayBeOutsideApi }: Attack, answer: RawAnswer): boolean {
  return mayBeOutsideApi && !answer.headers.has('ratelimit') && (answer.status === 404 || answer.status === 200)
}

function otherResponseProblems(answer: RawAnswer): string[] {
  if (answer.status === 200) return []
  const { error } = JSON.parse(answer.body)
  return error.code === 'not_found' && error.requestId === headerOf(answer, 'x-request-id') ? [] : ['no envelope']
}
