import type { Assertions } from '../../src/contract/check-options.ts'
import { startTargets } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { median } from '../support/load.ts'
import { progress, Table, verdict } from '../support/table.ts'
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
  const plain = () => measureChecks(subject, PER_SECOND)
  const asserted = () => measureChecks(subject, PER_SECOND, { assertions })
  const rounds: (readonly [plainUs: number, assertedUs: number])[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    progress(`assertions: round ${i + 1} of ${ROUNDS}`)
    if (i % 2 === 0) rounds.push([usOf(await plain()), usOf(await asserted())])
    else {
      const assertedUs = usOf(await asserted())
      rounds.push([usOf(await plain()), assertedUs])
    }
  }
  progress('')
  const ratio = median(rounds.map(([plainUs, assertedUs]) => assertedUs / plainUs))
  const isMet = ratio <= GOAL
  new Table(
    `CPU time per HTTP check of 10 KB of JSON: ${CHECKS} checks a side at ${PER_SECOND} a second, ${ROUNDS} rounds, Node ${process.version}`,
    ['', 'plain µs', 'asserted µs', 'ratio', 'goal', ''],
  ).row([
    'JSON assertion',
    median(rounds.map(([plainUs]) => plainUs)).toFixed(0),
    median(rounds.map(([, assertedUs]) => assertedUs)).toFixed(0),
    ratio.toFixed(2),
    `≤ ${GOAL.toFixed(2)}`,
    verdict(isMet),
  ])
  return isMet
}

function usOf({ cpuUs, checks }: Measured): number {
  return cpuUs / checks
}
