import type { Assertion } from '../../../contract/check-options.ts'
import type { Fault } from '../../../contract/errors.ts'
import { pathOf, patternOf } from './compile.ts'
import { InvalidExpression } from './pattern.ts'

const comparing: readonly Assertion['operator'][] = ['EQUALS', 'NOT_EQUALS', 'GREATER', 'LESS']
const searching: readonly Assertion['operator'][] = ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'NOT_CONTAINS', 'MATCHES']

/** The operators that make sense for a source; absent: all. */
export const operatorsOf: Partial<Record<Assertion['source'], readonly Assertion['operator'][]>> = {
  STATUS: comparing,
  RESPONSE_MS: comparing,
  CERTIFICATE_DAYS: comparing,
  RECORD: searching,
}

/** What is wrong with an assertion whose members are there and have the types of its source and operator. */
export function assertionFaults(assertion: Assertion): Fault[] {
  const { source, operator, value } = assertion
  const permitted = operatorsOf[source]
  if (permitted !== undefined && !permitted.includes(operator))
    return [{ path: 'operator', message: `does not fit ${source}; use ${permitted.join(', ')}` }]
  if (permitted === comparing && typeof value !== 'number') return [{ path: 'value', message: 'must be a number' }]
  if (source !== 'JSON' && (value === null || typeof value === 'boolean'))
    return [{ path: 'value', message: 'must be a text or a number; only JSON has other values' }]
  return [expressionFault('path', () => pathOf(assertion)), expressionFault('value', () => patternOf(assertion))].flat()
}

/** What is wrong with a path or a pattern. */
export function expressionFault(path: string, compile: () => unknown): Fault[] {
  try {
    compile()
    return []
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error
    return [{ path, message: `is not valid at character ${error.position + 1}: ${error.message}` }]
  }
}
