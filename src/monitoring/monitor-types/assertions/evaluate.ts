import { setImmediate } from 'node:timers/promises'
import type { Assertion, Assertions } from '../../../contract/check-options.ts'
import type { AssertionResult } from '../../../contract/probe.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import { Budget, BudgetExceeded } from './budget.ts'
import { pathOf, patternOf } from './compile.ts'
import { failureReason, listedValues, subjectOf } from './describe.ts'
import type { Json } from './json-path.ts'
import { InvalidExpression, type Pattern } from './pattern.ts'

/** What a probe found. Absent where its type does not have it. */
export interface Observation {
  readonly status?: number
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: BodyText
  readonly responseMs: number
  readonly certificateDays?: number
  readonly records?: readonly string[]
}

interface BodyText {
  readonly text: string
  /** The body is longer than what was read of it. */
  readonly isCut: boolean
}

/** An assertion that cannot be evaluated, and why. */
class Unreadable extends Error {
  readonly reason: Reason

  constructor(why: Reason) {
    super()
    this.reason = why
  }
}

/** Keys count too. Parsing takes up to 600 ns for each, 50 ms in all. */
const MAX_JSON_VALUES = 80_000
/** After this time other checks of the thread get a turn. */
const TURN_MS = 5

/** The result of each assertion, in their order. */
export async function evaluateAssertions(
  { assertions }: Assertions,
  observed: Observation,
): Promise<AssertionResult[]> {
  const budget = new Budget()
  let turnStartedAt = performance.now()
  const giveTurn = async () => {
    if (performance.now() - turnStartedAt < TURN_MS) return
    await setImmediate()
    turnStartedAt = performance.now()
  }
  const json = assertions.some(({ source }) => source === 'JSON') ? parseBody(observed.body) : undefined
  const results: AssertionResult[] = []
  for (const assertion of assertions) {
    await giveTurn()
    results.push(evaluate(assertion, observed, json, budget))
  }
  return results
}

function evaluate(
  assertion: Assertion,
  observed: Observation,
  json: Json | Unreadable | undefined,
  budget: Budget,
): AssertionResult {
  try {
    const values = valuesOf(assertion, observed, json, budget)
    const wrong = wrongValues(assertion, values, patternOf(assertion), budget)
    const found = listedValues(values)
    return wrong === null
      ? { holds: true, found }
      : { holds: false, found, error: failureReason(assertion, values, wrong) }
  } catch (error) {
    if (error instanceof Unreadable) return { holds: false, found: null, error: error.reason }
    if (error instanceof BudgetExceeded || error instanceof InvalidExpression) {
      const cause = error instanceof BudgetExceeded ? error.reason : error.message
      return {
        holds: false,
        found: null,
        error: reason('assertion_unchecked', { subject: subjectOf(assertion), cause }),
      }
    }
    throw error
  } finally {
    budget.end()
  }
}

function valuesOf(
  assertion: Assertion,
  { status, headers, body, responseMs, certificateDays, records }: Observation,
  json: Json | Unreadable | undefined,
  budget: Budget,
): readonly Json[] {
  switch (assertion.source) {
    case 'STATUS':
      return present(status)
    case 'HEADER':
      return present(headers?.[(assertion.path ?? '').toLowerCase()])
    case 'JSON':
      if (json instanceof Unreadable)
        throw new Unreadable(reason('assertion_unreadable', { subject: subjectOf(assertion), cause: json.reason }))
      return pathOf(assertion)?.(json ?? null, budget) ?? []
    case 'BODY':
      return present(body?.text || undefined)
    case 'RESPONSE_MS':
      return [responseMs]
    case 'CERTIFICATE_DAYS':
      return present(certificateDays)
    case 'RECORD':
      return records ?? []
  }
}

function present<T extends Json>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}

function parseBody({ text, isCut }: BodyText = { text: '', isCut: false }): Json | Unreadable {
  if (text === '') return new Unreadable(reason('body_empty'))
  if (isCut) return new Unreadable(reason('body_cut'))
  if (text.length > MAX_JSON_VALUES && countValues(text) > MAX_JSON_VALUES)
    return new Unreadable(reason('body_values', { count: MAX_JSON_VALUES }))
  try {
    return JSON.parse(text) as Json
  } catch {
    return new Unreadable(reason('body_not_json'))
  }
}

const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/** At least as many values and keys as there are: a comma in a text counts too. */
function countValues(text: string): number {
  let count = 1
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === COLON || code === OPEN_LIST || code === OPEN_OBJECT) count += 1
  }
  return count
}

/**
 * The values that contradict the assertion; null if it holds. It must hold for every value that a path selects, but for only one of
 * the records. Without a value, only a negative assertion holds.
 */
function wrongValues(
  assertion: Assertion,
  values: readonly Json[],
  pattern: Pattern | undefined,
  budget: Budget,
): readonly Json[] | null {
  const { source, operator } = assertion
  if (operator === 'EXISTS') return values.length > 0 ? null : []
  if (operator === 'NOT_EXISTS') return values.length === 0 ? null : values
  const wrong = values.filter((value) => !holdsFor(value, assertion, pattern, budget))
  if (operator === 'NOT_EQUALS' || operator === 'NOT_CONTAINS') return wrong.length === 0 ? null : wrong
  const holds = source === 'RECORD' ? wrong.length < values.length : wrong.length === 0 && values.length > 0
  return holds ? null : wrong
}

function holdsFor(found: Json, assertion: Assertion, pattern: Pattern | undefined, budget: Budget): boolean {
  const expected = assertion.value ?? null
  switch (assertion.operator) {
    case 'EQUALS':
      return equals(found, expected, assertion.source)
    case 'NOT_EQUALS':
      return !equals(found, expected, assertion.source)
    case 'CONTAINS':
      return contains(found, expected)
    case 'NOT_CONTAINS':
      return !contains(found, expected)
    case 'MATCHES':
      return isScalar(found) && (pattern?.isIn(String(found), budget) ?? false)
    case 'GREATER':
      return numberOf(found) > Number(expected)
    case 'LESS':
      return numberOf(found) < Number(expected)
    default:
      return true
  }
}

/** Values of JSON have a type; headers, bodies and records are text. */
function equals(found: Json, expected: Json, source: Assertion['source']): boolean {
  return found === expected || (source !== 'JSON' && String(found) === String(expected))
}

/** A text contains a text, a list contains a value. */
function contains(found: Json, expected: Json): boolean {
  if (typeof found === 'string') return found.includes(String(expected))
  return Array.isArray(found) && found.includes(expected)
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

/** NaN, which compares as false, for what is not a number. */
function numberOf(value: Json): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}
