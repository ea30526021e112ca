import assert from 'node:assert/strict'
import { type RawAnswer, runConnection } from '../support/raw-http.ts'
import type { Attack } from './attacks.ts'
import { headerOf, problemsOf } from './check-response.ts'
import { Lane } from './lane.ts'
import { attackOf } from './malformed-requests.ts'
import { caseOf } from './request-cases.ts'
import { type SearchPlan, type SearchResult, search } from './search.ts'
import type { FuzzTarget } from './target.ts'

/** `requests`: made from the document, each response as it says. `garbage`: raw bytes, each response well-formed. */
export const kinds = ['requests', 'garbage'] as const
export type Kind = (typeof kinds)[number]

export interface Plan extends SearchPlan {
  readonly kind: Kind
}

/** Runs the cases one after the other. The first failure ends the run and is reduced to a minimal case. */
export async function runPlan(world: FuzzTarget, plan: Plan): Promise<SearchResult> {
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
