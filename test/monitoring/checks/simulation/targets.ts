import type { Sample } from '../../../../src/contract/probe.ts'
import type { Dice } from '../../../support/dice.ts'
import { words } from '../../../support/reasons.ts'

export type Condition = 'up' | 'slow' | 'down' | 'inconclusive'

/** The sample of a check of a target in this condition. */
export function sampleOf(condition: Condition | undefined, dice: Dice): Sample {
  switch (condition) {
    case 'down':
      return { outcome: 'failure', code: 'CONNECT', error: words('Connection refused'), kind: 'connection' }
    case 'inconclusive':
      return { outcome: 'inconclusive', reason: words('Out of sockets') }
    case 'slow':
      return { outcome: 'success', responseMs: dice.between(201, 900) }
    default:
      return { outcome: 'success', responseMs: dice.between(5, 200) }
  }
}
