import Type from 'typebox'
import { type Assertion, type Assertions, assertionOperators, assertionSources } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES } from '../../contract/operation.ts'
import { body, defaulted, forbidding, having, oneOf } from '../../contract/schema.ts'
import { isObject } from '../../lib/json.ts'
import { operatorsOf, assertionFaults as typedFaults } from '../monitor-types/assertions/faults.ts'
import type { MonitorType } from '../monitor-types/definitions.ts'
import type { OptionDefinition } from './definition.ts'

const MAX_ASSERTIONS = 20
const MAX_PATH = 500
const MAX_VALUE = 1000

const webSources = ['STATUS', 'HEADER', 'JSON', 'BODY', 'RESPONSE_MS', 'CERTIFICATE_DAYS'] as const

/** What the checks of a type find. */
const sources: Partial<Record<MonitorType, readonly Assertion['source'][]>> = {
  HTTP: webSources,
  KEYWORD: webSources,
  DNS: ['RECORD', 'RESPONSE_MS'],
  SSL: ['CERTIFICATE_DAYS', 'RESPONSE_MS'],
}

/** A condition of JSON Schema: the field has one of these values. */
const among = (field: string, values: readonly string[]) => ({
  required: [field],
  properties: { [field]: { enum: values } },
})
const other = <T extends string>(all: readonly T[], values: readonly T[]) => all.filter((one) => !values.includes(one))

const pathSources: readonly Assertion['source'][] = ['HEADER', 'JSON']
const numberOperators: readonly Assertion['operator'][] = ['GREATER', 'LESS']
const textOperators: readonly Assertion['operator'][] = ['CONTAINS', 'NOT_CONTAINS', 'MATCHES']
const unaryOperators: readonly Assertion['operator'][] = ['EXISTS', 'NOT_EXISTS']
const HEADER_NAME = "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$"

/** What an assertion about this source must not have. */
function sourceRules(source: Assertion['source'], operators: readonly Assertion['operator'][] = assertionOperators) {
  const misfitting = other(assertionOperators, operators)
  const wrongTypes = operators.includes('CONTAINS') ? ['boolean', 'null'] : ['boolean', 'null', 'string']
  const wrongValue = { required: ['value'], properties: { value: { type: wrongTypes } } }
  return [
    ...(misfitting.length > 0 ? [{ allOf: [among('source', [source]), among('operator', misfitting)] }] : []),
    ...(source === 'JSON' ? [] : [{ allOf: [among('source', [source]), wrongValue] }]),
  ]
}

const AssertionSchema = forbidding(
  Type.Object(
    {
      source: oneOf(assertionSources, {
        description:
          'HTTP and KEYWORD have STATUS, HEADER, JSON, BODY, RESPONSE_MS and CERTIFICATE_DAYS; DNS has RECORD and RESPONSE_MS; SSL ' +
          'has CERTIFICATE_DAYS and RESPONSE_MS',
      }),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_PATH,
          description: 'HEADER: the name of the header. JSON: a JSONPath (RFC 9535). Not allowed for other sources',
        }),
      ),
      operator: oneOf(assertionOperators, { description: 'MATCHES takes an RE2 pattern' }),
      value: Type.Optional(
        Type.Unsafe<Assertion['value']>({
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: MAX_VALUE,
          description:
            'What the found value is compared with. GREATER and LESS need a number; EXISTS and NOT_EXISTS have none',
        }),
      ),
      severity: defaulted(
        oneOf(['DOWN', 'DEGRADED'], { description: 'The state of the monitor if it does not hold' }),
        'DOWN',
      ),
    },
    { additionalProperties: false },
  ),
  { ...among('source', pathSources), not: having('path') },
  {
    allOf: [
      among('source', ['HEADER']),
      { required: ['path'], properties: { path: { not: { pattern: HEADER_NAME } } } },
    ],
  },
  { allOf: [among('source', other(assertionSources, pathSources)), having('path')] },
  { allOf: [among('operator', unaryOperators), having('value')] },
  { ...among('operator', other(assertionOperators, unaryOperators)), not: having('value') },
  { allOf: [among('operator', numberOperators), { properties: { value: { not: { type: 'number' } } } }] },
  { allOf: [among('operator', textOperators), { properties: { value: { not: { type: 'string' } } } }] },
  ...assertionSources.flatMap((source) => sourceRules(source, operatorsOf[source])),
)

const Body = body('MonitorAssertions', {
  assertions: Type.Array(AssertionSchema, { maxItems: MAX_ASSERTIONS, description: 'All must hold' }),
})

const example: Assertions = {
  assertions: [
    { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok', severity: 'DOWN' },
    { source: 'RESPONSE_MS', operator: 'LESS', value: 800, severity: 'DEGRADED' },
  ],
}

export const assertions: OptionDefinition<Assertions> = {
  noun: 'assertions',
  description: `What a response must contain, at most ${MAX_ASSERTIONS}. All must hold. By default there are none.`,
  types: Object.keys(sources) as MonitorType[],
  body: Body,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: Body,
  render: (value) => value ?? { assertions: [] },
  faults: ({ assertions: list }) => (Array.isArray(list) ? list.flatMap(assertionFaults) : []),
  misfits: ({ assertions: list }, type) =>
    Array.isArray(list) ? list.flatMap((assertion, i) => sourceFaults(assertion, i, type)) : [],
  example: { body: example, answer: example },
}

/** In a test of settings the assertion may be malformed. */
function sourceFaults(assertion: unknown, i: number, type: MonitorType): Fault[] {
  const known: readonly unknown[] = sources[type] ?? []
  if (!isObject(assertion) || known.includes(assertion.source)) return []
  return [{ path: `assertions.${i}.source`, message: `must be one of ${known.join(', ')} for ${type} monitors` }]
}

const headerName = new RegExp(HEADER_NAME)

function assertionFaults(assertion: unknown, i: number): Fault[] {
  if (!isObject(assertion)) return []
  const { source, path, operator, value } = assertion as Readonly<Partial<Assertion>>
  const isUnknown = (text: string | undefined, known: readonly string[]) => text !== undefined && !known.includes(text)
  // The schema refuses them; messages below repeat their names.
  if (isUnknown(source, assertionSources) || isUnknown(operator, assertionOperators)) return []
  const messages = { path: pathFault(source, path), value: valueFault(operator, value) }
  const faults = Object.entries(messages).flatMap(([path, message]) =>
    message === undefined ? [] : [{ path, message }],
  )
  const isComplete = faults.length === 0 && isChecked(path, value)
  const found = isComplete ? typedFaults(assertion as unknown as Assertion) : faults
  return found.map(({ path, message }) => ({ path: `assertions.${i}.${path}`, message }))
}

/** Whether the schema accepts what is compiled. */
function isChecked(path: unknown, value: unknown): boolean {
  const isText = (text: unknown, maxLength: number) => typeof text === 'string' && text.length <= maxLength
  return (path === undefined || isText(path, MAX_PATH)) && (typeof value !== 'string' || isText(value, MAX_VALUE))
}

function pathFault(source: Assertion['source'] | undefined, path: unknown): string | undefined {
  if (source === undefined) return undefined
  if (!pathSources.includes(source))
    return path === undefined ? undefined : `is allowed only for ${pathSources.join(' and ')}`
  if (path === undefined) return `is required for ${source}`
  const isName = source !== 'HEADER' || typeof path !== 'string' || headerName.test(path)
  return isName ? undefined : 'is not a valid header name'
}

function valueFault(operator: Assertion['operator'] | undefined, value: unknown): string | undefined {
  if (operator === undefined) return undefined
  if (unaryOperators.includes(operator)) return value === undefined ? undefined : `is not allowed with ${operator}`
  if (value === undefined) return `is required with ${operator}`
  if (numberOperators.includes(operator) && typeof value !== 'number') return `must be a number with ${operator}`
  if (textOperators.includes(operator) && typeof value !== 'string') return `must be a text with ${operator}`
  return undefined
}
