import type { Assertions } from '../../src/contract/check-options.ts'
import { startTargets } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { inRounds, over } from '../support/rounds.ts'
import { printRow, verdict } from '../support/table.ts'
import { CHECKS, measureChecks, ROUNDS, subjectOf } from './cost.ts'

const PER_SECOND = 1_000
const GOAL = 1.5

const assertions: Assertions = {
  assertions: [{ source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok', severity: 'DOWN' }],
}

/** CPU time of a complete scheduled HTTP check of 10 KB of JSON, with and without an assertion about it. */
export async function assertionCost(): Promise<boolean> {
  await using targets = await startTargets()
  const subject = subjectOf('HTTP', `${targets.plain}json`)
  const rounds = await inRounds(ROUNDS, {
    plain: () => measureChecks(subject, PER_SECOND),
    asserted: () => measureChecks(subject, PER_SECOND, { assertions }),
  })
  const ratio = over(rounds, ({ plain, asserted }) => usOf(asserted) / usOf(plain))
  const isMet = ratio <= GOAL
  const title = `CPU time per HTTP check of 10 KB of JSON: ${CHECKS} checks a side at ${PER_SECOND} a second`
  printRow(`${title}, ${ROUNDS} rounds, Node ${process.version}`, [
    ['', 'JSON assertion'],
    ['plain µs', over(rounds, ({ plain }) => usOf(plain)).toFixed(0)],
    ['asserted µs', over(rounds, ({ asserted }) => usOf(asserted)).toFixed(0)],
    ['ratio', ratio.toFixed(2)],
    ['goal', `≤ ${GOAL.toFixed(2)}`],
    ['', verdict(isMet)],
  ])
  return isMet
}

function usOf({ cpuUs, checks }: Measured): number {
  return cpuUs / checks
}
