import type { Assertion } from '../../contract/check-options.ts'
import { escapePattern } from '../monitor-fields.ts'
import { durationMs } from './values.ts'

type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>'

interface Condition {
  /** `STATUS`, `BODY`, …; `len` and `has` are functions around it. */
  readonly placeholder: string
  readonly wrapper: 'len' | 'has' | undefined
  /** What follows [BODY]. */
  readonly path: string
  readonly operator: Operator
  readonly value: string
}

/** What the conditions of an endpoint mean for a monitor. */
export interface Meaning {
  /** Undefined: any status. */
  status?: readonly number[]
  readonly assertions: Omit<Assertion, 'severity'>[]
  /** `[BODY] == pat(*text*)` */
  keyword?: { readonly text: string; readonly isExpected: boolean }
  /** The body must be this. */
  body?: string
  maxResponseMs?: number
  minCertificateDays?: number
  minDomainDays?: number
  /** The endpoint must be unreachable, or its name must not exist. */
  isInverted: boolean
  /** Conditions that have no meaning here. */
  readonly lost: string[]
}

const DAY_MS = 86_400_000

/** Reads the conditions of an endpoint. All of them must hold. */
export function readConditions(texts: readonly string[]): Meaning {
  const found: Meaning = { assertions: [], isInverted: false, lost: [] }
  for (const one of texts) {
    const condition = parse(one)
    if (condition === undefined || !apply(condition, found)) found.lost.push(one)
  }
  return found
}

const operators: readonly Operator[] = ['==', '!=', '<=', '>=', '<', '>']
const swapped: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}
const subject = /^(?:(len|has)\()?\[([A-Z_]+)\]([^()]*)\)?$/i

function parse(given: string): Condition | undefined {
  const operator = operators.find((one) => given.includes(` ${one} `))
  if (operator === undefined) return undefined
  const [left = '', right = ''] = given.split(` ${operator} `).map((side) => side.trim())
  const isSwapped = !subject.test(left) && subject.test(right)
  const match = subject.exec(isSwapped ? right : left)
  if (match === null) return undefined
  return {
    wrapper: match[1]?.toLowerCase() as 'len' | 'has' | undefined,
    placeholder: (match[2] ?? '').toUpperCase(),
    path: match[3] ?? '',
    operator: isSwapped ? swapped[operator] : operator,
    value: isSwapped ? left : right,
  }
}

/** False if the condition has no meaning here. */
function apply(condition: Condition, found: Meaning): boolean {
  switch (condition.placeholder) {
    case 'STATUS':
      return applyStatus(condition, found)
    case 'RESPONSE_TIME':
      return applyResponseTime(condition, found)
    case 'CERTIFICATE_EXPIRATION':
    case 'DOMAIN_EXPIRATION':
      return applyExpiry(condition, found)
    case 'CONNECTED':
    case 'DNS_RCODE':
      return applyReachable(condition, found)
    case 'BODY':
      return condition.path === '' && condition.wrapper === undefined
        ? applyBody(condition, found)
        : applyJson(condition, found)
    default:
      return false
  }
}

function applyReachable({ placeholder, operator, value }: Condition, found: Meaning): boolean {
  const isGood = value === (placeholder === 'CONNECTED' ? 'true' : 'NOERROR')
  if (operator !== '==' && operator !== '!=') return false
  if (isGood !== (operator === '==')) found.isInverted = true
  return true
}

/** A final response has no code below 200, unless the condition names it. */
function applyStatus({ operator, value }: Condition, found: Meaning): boolean {
  const listed = optionsIn(value)
  const named = (listed ?? [value]).map(Number).filter((code) => code >= 100 && code < 200)
  const all = found.status ?? [...(operator === '==' ? named : []), ...Array.from({ length: 400 }, (_, i) => 200 + i)]
  const pattern = patternIn(value)
  const number = Number(value)
  if (listed === undefined && pattern === undefined && !Number.isInteger(number)) return false
  const isEqual = (code: number): boolean => {
    if (listed !== undefined) return listed.includes(String(code))
    return pattern === undefined ? code === number : new RegExp(expressionOf(pattern)).test(String(code))
  }
  const holds: Readonly<Record<Operator, (code: number) => boolean>> = {
    '==': isEqual,
    '!=': (code) => !isEqual(code),
    '<': (code) => code < number,
    '<=': (code) => code <= number,
    '>': (code) => code > number,
    '>=': (code) => code >= number,
  }
  found.status = all.filter(holds[operator])
  return true
}

function applyResponseTime({ operator, value }: Condition, found: Meaning): boolean {
  const limit = numberIn(value)
  if (limit === undefined || (operator !== '<' && operator !== '<=')) return false
  const bound = operator === '<' ? limit : limit + 1
  found.maxResponseMs = Math.min(found.maxResponseMs ?? bound, bound)
  return true
}

function applyExpiry({ placeholder, operator, value }: Condition, found: Meaning): boolean {
  const limit = numberIn(value)
  if (limit === undefined || (operator !== '>' && operator !== '>=')) return false
  const field = placeholder === 'CERTIFICATE_EXPIRATION' ? 'minCertificateDays' : 'minDomainDays'
  found[field] = Math.max(found[field] ?? 0, limit / DAY_MS)
  return true
}

function applyBody({ operator, value }: Condition, found: Meaning): boolean {
  if (operator !== '==' && operator !== '!=') return false
  const isExpected = operator === '=='
  const pattern = patternIn(value)
  const contained = /^\*([^*]+)\*$/.exec(pattern ?? '')?.[1]
  if (contained !== undefined) {
    if (found.keyword === undefined) found.keyword = { text: contained, isExpected }
    else found.assertions.push({ source: 'BODY', operator: isExpected ? 'CONTAINS' : 'NOT_CONTAINS', value: contained })
    return true
  }
  const options = optionsIn(value)
  if (pattern === undefined && options === undefined) {
    if (isExpected) found.body = value
    found.assertions.push({ source: 'BODY', operator: isExpected ? 'EQUALS' : 'NOT_EQUALS', value })
    return true
  }
  if (!isExpected) {
    // A pattern cannot be negated, but each of several texts can.
    found.assertions.push(
      ...(options ?? []).map((one) => ({ source: 'BODY', operator: 'NOT_EQUALS', value: one }) as const),
    )
    return options !== undefined
  }
  found.assertions.push({ source: 'BODY', operator: 'MATCHES', value: matching(pattern, options) })
  return true
}

function applyJson({ wrapper, path: given, operator, value }: Condition, found: Meaning): boolean {
  const path = jsonPath(given)
  if (path === undefined) return false
  const add = (name: Assertion['operator'], expected?: Assertion['value'], at = path): true => {
    found.assertions.push({
      source: 'JSON',
      path: at,
      operator: name,
      ...(expected !== undefined && { value: expected }),
    })
    return true
  }
  if (wrapper === 'has') {
    if (!['true', 'false'].includes(value) || !['==', '!='].includes(operator)) return false
    return add((value === 'true') === (operator === '==') ? 'EXISTS' : 'NOT_EXISTS')
  }
  if (wrapper === 'len') {
    // The filter selects something of the body if the length is right. An empty body has nothing to select.
    const length = Number(value)
    if (!Number.isInteger(length) || path === '$' || path.includes('*')) return false
    return add('EXISTS', undefined, `$[?length(${path}) ${operator} ${length}]`)
  }
  const number = numberIn(value)
  if (operator !== '==' && operator !== '!=') {
    if (number === undefined) return false
    if (operator === '<' || operator === '>') return add(operator === '<' ? 'LESS' : 'GREATER', number)
    return operator === '<=' ? add('LESS', number + 1) : add('GREATER', number - 1)
  }
  return addEquality(value, operator === '==', add)
}

/** Gatus compares texts: 1, "1", true and "true" are the same. */
function addEquality(
  value: string,
  isExpected: boolean,
  add: (name: Assertion['operator'], expected: Assertion['value']) => true,
) {
  const [pattern, options] = [patternIn(value), optionsIn(value)]
  const isTyped = /^-?\d+(\.\d+)?$|^(true|false|null)$/.test(value)
  if (isExpected) {
    if (pattern === undefined && options === undefined && !isTyped) return add('EQUALS', value)
    return add('MATCHES', matching(pattern, options ?? [value]))
  }
  if (pattern !== undefined) return false
  for (const one of options ?? [value]) {
    add('NOT_EQUALS', one)
    if (/^-?\d+(\.\d+)?$|^(true|false|null)$/.test(one)) add('NOT_EQUALS', JSON.parse(one))
  }
  return true
}

/** The glob of `pat(…)`. */
function patternIn(value: string): string | undefined {
  return /^pat\((.*)\)$/s.exec(value)?.[1]
}

/** The texts of `any(…)`. */
function optionsIn(value: string): string[] | undefined {
  const list = /^any\((.*)\)$/s.exec(value)?.[1]
  return list?.split(',').map((one) => one.trim())
}

/** A number, or a duration in milliseconds. */
function numberIn(value: string): number | undefined {
  const number = Number(value)
  return value !== '' && Number.isFinite(number) ? number : durationMs(value)
}

function matching(pattern: string | undefined, options: readonly string[] | undefined): string {
  return pattern === undefined
    ? `^(?:${(options ?? []).map(escapePattern).join('|')})$`
    : expressionOf(pattern).replace(/^\^/, '(?s)^')
}

function expressionOf(glob: string): string {
  return `^${glob.split('*').map(escapePattern).join('.*')}$`
}

/** `.data[0].name` as a JSONPath. */
function jsonPath(given: string): string | undefined {
  const parts = given.match(/\.[^.[\]]+|\[(?:\d+|\*)\]/g) ?? []
  if (parts.join('') !== given) return undefined
  const steps = parts.map((part) => {
    if (part.startsWith('[')) return part
    const name = part.slice(1)
    return /^[A-Za-z_]\w*$/.test(name) ? part : `[${JSON.stringify(name)}]`
  })
  return `$${steps.join('')}`
}
