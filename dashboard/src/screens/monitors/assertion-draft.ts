import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import type { MonitorType } from './types.ts'

export type Assertion = PublicSchemas['MonitorAssertions']['assertions'][number]
export type Source = Assertion['source']
export type Operator = Assertion['operator']

/** Form values of an assertion. */
export interface AssertionRow extends Pick<Assertion, 'source' | 'operator' | 'severity'> {
  readonly path: string
  /** As typed: `ok`, `200`, `true`. */
  readonly value: string
}

const webSources: readonly Source[] = ['JSON', 'BODY', 'HEADER', 'STATUS', 'RESPONSE_MS', 'CERTIFICATE_DAYS']

/** What can be asserted of each type. */
export const assertionSources: Readonly<Partial<Record<MonitorType, readonly Source[]>>> = {
  HTTP: webSources,
  KEYWORD: webSources,
  DNS: ['RECORD', 'RESPONSE_MS'],
  SSL: ['CERTIFICATE_DAYS', 'RESPONSE_MS'],
}

export const sourceLabels: Readonly<Record<Source, string>> = {
  JSON: t('JSON value'),
  BODY: t('Response body'),
  HEADER: t('Header'),
  STATUS: t('Status code'),
  RESPONSE_MS: t('Response time (ms)'),
  CERTIFICATE_DAYS: t('Certificate days left'),
  RECORD: t('DNS record'),
}

export const operatorLabels: Readonly<Record<Operator, string>> = {
  EQUALS: t('is'),
  NOT_EQUALS: t('is not'),
  CONTAINS: t('contains'),
  NOT_CONTAINS: t('does not contain'),
  MATCHES: t('matches pattern'),
  GREATER: t('is more than'),
  LESS: t('is less than'),
  EXISTS: t('exists'),
  NOT_EXISTS: t('does not exist'),
}

const comparing: readonly Operator[] = ['EQUALS', 'NOT_EQUALS', 'GREATER', 'LESS']

const operators: Partial<Readonly<Record<Source, readonly Operator[]>>> = {
  STATUS: comparing,
  RESPONSE_MS: ['LESS', 'GREATER'],
  CERTIFICATE_DAYS: ['GREATER', 'LESS'],
  RECORD: ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'NOT_CONTAINS', 'MATCHES'],
  BODY: ['CONTAINS', 'NOT_CONTAINS', 'MATCHES', 'EQUALS', 'NOT_EQUALS', 'GREATER', 'LESS', 'EXISTS', 'NOT_EXISTS'],
}

/** The operators of a source; those that an assertion has although the form does not offer them are kept. */
export function operatorsOf(source: Source, current: Operator): readonly Operator[] {
  const offered = operators[source] ?? (Object.keys(operatorLabels) as Operator[])
  return offered.includes(current) ? offered : [...offered, current]
}

export function hasPath(source: Source): boolean {
  return source === 'JSON' || source === 'HEADER'
}

export function hasValue(operator: Operator): boolean {
  return operator !== 'EXISTS' && operator !== 'NOT_EXISTS'
}

export function isNumeric({ source, operator }: Pick<AssertionRow, 'source' | 'operator'>): boolean {
  return operator === 'GREATER' || operator === 'LESS' || operators[source]?.includes('CONTAINS') === false
}

export function newRow(source: Source): AssertionRow {
  const [operator = 'EQUALS'] = operatorsOf(source, 'LESS')
  return { source, path: source === 'JSON' ? '$.' : '', operator, value: '', severity: 'DOWN' }
}

/** The row with another source, whose operator it keeps if it fits. */
export function withSource(row: AssertionRow, source: Source): AssertionRow {
  const isKept = operatorsOf(source, 'EQUALS').includes(row.operator)
  const { operator, path } = newRow(source)
  return {
    ...row,
    source,
    operator: isKept ? row.operator : operator,
    path: hasPath(row.source) && hasPath(source) ? row.path : path,
  }
}

export function rowOf({ source, path = '', operator, value, severity }: Assertion): AssertionRow {
  return { source, path, operator, value: value === undefined ? '' : valueText(source, value), severity }
}

/** The value as the form shows it. A text that would be read as another type is in quotes. */
export function valueText(source: Source, value: Exclude<Assertion['value'], undefined>): string {
  if (typeof value !== 'string') return String(value)
  return source === 'JSON' && typeof literal(value) !== 'string' ? JSON.stringify(value) : value
}

export function assertionOf(row: AssertionRow): Assertion {
  const { source, path, operator, value, severity } = row
  return {
    source,
    operator,
    severity,
    ...(hasPath(source) && { path: path.trim() }),
    ...(hasValue(operator) && { value: typedValue(row, value) }),
  }
}

function typedValue(row: AssertionRow, text: string) {
  if (isNumeric(row)) return Number(text)
  return row.source === 'JSON' && (row.operator === 'EQUALS' || row.operator === 'NOT_EQUALS') ? literal(text) : text
}

/** A number, true, false, null or a text in quotes is what it is in JSON; anything else is a text. */
function literal(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? text : (value as string | number | boolean | null)
  } catch {
    return text
  }
}

/** The path to a member or an item of a JSON value. */
export function pathTo(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return /^[a-z_][a-z0-9_]*$/i.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}
