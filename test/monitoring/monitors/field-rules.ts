import { monitorTypes } from '../../support/contract.ts'

/** A value that a field must refuse, and the path of the fault. */
interface Refusal {
  readonly value: unknown
  readonly path: string
}

/** One field of the create body by the table of section 4.1. */
export interface FieldRule {
  readonly field: string
  /** Values at and inside the bounds, returned unchanged. */
  readonly accepts: readonly unknown[]
  readonly refuses: readonly Refusal[]
}

const at = (path: string, ...values: readonly unknown[]): Refusal[] => values.map((value) => ({ value, path }))

const nulls = (field: string, isNullable: boolean) => ({
  accepted: isNullable ? [null] : [],
  refused: isNullable ? [] : at(field, null),
})

/** Lengths are counted in characters as JSON Schema counts them: code points. */
interface TextRule {
  readonly min?: number
  readonly max: number
  readonly isNullable: boolean
  /** Without control characters. */
  readonly isName?: boolean
}

function string(field: string, { min = 0, max, isNullable, isName = false }: TextRule) {
  const { accepted, refused } = nulls(field, isNullable)
  const tooShort = min === 0 ? [] : at(field, 'x'.repeat(min - 1))
  return {
    field,
    accepts: [
      'x'.repeat(min),
      'x'.repeat(max),
      '😀'.repeat(max),
      isName ? 'Ünïcödé "\\ ☂ \u202e\u2028' : 'Ünïcödé "\\\u007f ☂\n',
      ...accepted,
    ],
    refuses: [
      ...tooShort,
      ...at(field, 'x'.repeat(max + 1), '😀'.repeat(max + 1), `e${'\u0301'.repeat(max)}`),
      ...at(field, 5, true, ['x'], { x: 'x' }),
      // Text that one of the engines cannot store.
      ...at(field, 'a\u0000b', 'lone \ud800 surrogate'),
      ...(isName ? at(field, 'a\nb', 'a\tb', '\u001b[2J', '\u007f', '\u009b2J') : []),
      ...refused,
    ],
  }
}

function integer(field: string, { min, max, isNullable = false }: { min: number; max: number; isNullable?: boolean }) {
  const { accepted, refused } = nulls(field, isNullable)
  return {
    field,
    accepts: [min, min + 1, max, ...accepted],
    refuses: [
      ...at(field, min - 1, max + 1, -min - 1, 1e300),
      ...at(field, min + 0.5, `${min}`, '', true, [min], { value: min }),
      ...refused,
    ],
  }
}

function choice(field: string, ...values: readonly string[]) {
  const [first = ''] = values
  return {
    field,
    accepts: values,
    refuses: at(field, first.toLowerCase(), `${first} `, 'OTHER', '', 0, true, [first], {}, null),
  }
}

function flag(field: string) {
  return { field, accepts: [true, false], refuses: at(field, 'true', 0, 1, '', [], {}, null) }
}

const statuses: FieldRule = {
  field: 'expectedStatus',
  accepts: [[100], [599], [204, 204], Array.from({ length: 100 }, (_, i) => 100 + i)],
  refuses: [
    ...at(
      'expectedStatus',
      [],
      Array.from({ length: 101 }, (_, i) => 100 + i),
      200,
      '200',
      {},
      true,
      null,
    ),
    ...at('expectedStatus.0', [99], [600], [200.5], ['200'], [null], [[200]], [true]),
    ...at('expectedStatus.2', [200, 201, 99]),
  ],
}

const headers: FieldRule = {
  field: 'requestHeaders',
  accepts: [null, {}, { Accept: '' }, { 'X-One': 'a', 'X-Two': 'b, c', constructor: 'd', toString: 'e' }],
  refuses: [
    ...at('requestHeaders', [], ['a'], 'a: b', 5, true),
    ...at('requestHeaders.X-One', { 'X-One': 1 }, { 'X-One': null }, { 'X-One': ['a'] }, { 'X-One': {} }),
    ...at('requestHeaders.X-Two', { 'X-One': 'a', 'X-Two': false }),
  ],
}

/** Every field that a creation and an update can set. */
export const fieldRules: readonly FieldRule[] = [
  string('name', { min: 1, max: 120, isNullable: false, isName: true }),
  choice('type', ...monitorTypes),
  string('url', { max: 2048, isNullable: true }),
  string('host', { max: 255, isNullable: true }),
  integer('port', { min: 1, max: 65_535, isNullable: true }),
  choice('method', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  statuses,
  headers,
  string('requestBody', { max: 100_000, isNullable: true }),
  flag('followRedirects'),
  flag('verifySsl'),
  string('keyword', { max: 500, isNullable: true }),
  choice('keywordMatch', 'EXISTS', 'NOT_EXISTS'),
  choice('dnsRecordType', 'A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'),
  string('dnsExpected', { max: 2000, isNullable: true }),
  flag('dnsAlertOnChange'),
  integer('sslExpiryThresholdDays', { min: 1, max: 365 }),
  integer('intervalSeconds', { min: 30, max: 86_400 }),
  integer('timeoutSeconds', { min: 1, max: 60 }),
  integer('expectedPeriodSec', { min: 60, max: 2_592_000, isNullable: true }),
  integer('graceSeconds', { min: 0, max: 86_400 }),
  integer('degradedThresholdMs', { min: 1, max: 60_000, isNullable: true }),
  choice('degradedThresholdMode', 'LAST', 'P95'),
  integer('degradedSamples', { min: 1, max: 100 }),
]
