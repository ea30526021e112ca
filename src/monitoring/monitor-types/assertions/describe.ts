import type { Assertion } from '../../../contract/check-options.ts'
import { boundedText } from '../bounded-text.ts'
import type { Json } from './json-path.ts'

const MAX_SUBJECT_CHARS = 120
const MAX_VALUE_CHARS = 100
const MAX_LISTED = 3

/** What an assertion is about: `$.db.status`, `Header server`. */
export function subjectOf({ source, path = '' }: Assertion): string {
  switch (source) {
    case 'STATUS':
      return 'Status code'
    case 'HEADER':
      return `Header ${boundedText(path, MAX_SUBJECT_CHARS)}`
    case 'JSON':
      return boundedText(path, MAX_SUBJECT_CHARS)
    case 'BODY':
      return 'Body'
    case 'RESPONSE_MS':
      return 'Response time'
    case 'CERTIFICATE_DAYS':
      return 'Certificate lifetime'
    case 'RECORD':
      return 'Record'
  }
}

/** What was found and what was expected: `$.db.status is "degraded", expected "ok"`. */
export function failureText(assertion: Assertion, values: readonly Json[], wrong: readonly Json[]): string {
  const found = foundText(assertion, values, wrong)
  const expected = expectedText(assertion)
  return `${subjectOf(assertion)} ${found}${expected && `, expected ${expected}`}`
}

function foundText({ source }: Assertion, values: readonly Json[], wrong: readonly Json[]): string {
  if (values.length === 0) return source === 'BODY' ? 'is empty' : 'does not exist'
  if (source === 'RECORD') return `is ${listedValues(wrong)}`
  const place = values.length > 1 ? ` in ${wrong.length} of ${values.length} places` : ''
  return `is ${valueText(wrong[0] as Json)}${unitOf(source)}${place}`
}

/** Empty where the text before says it all. */
function expectedText({ source, operator, value = null }: Assertion): string {
  const unit = unitOf(source)
  switch (operator) {
    case 'EQUALS':
      return `${valueText(value)}${unit}`
    case 'NOT_EQUALS':
      return 'something else'
    case 'CONTAINS':
      return `it to contain ${valueText(value)}`
    case 'NOT_CONTAINS':
      return `it not to contain ${valueText(value)}`
    case 'MATCHES':
      return `it to match ${boundedText(String(value), MAX_VALUE_CHARS)}`
    case 'GREATER':
      return `more than ${value}${unit}`
    case 'LESS':
      return `less than ${value}${unit}`
    case 'EXISTS':
      return ''
    case 'NOT_EXISTS':
      return 'it not to exist'
  }
}

function unitOf(source: Assertion['source']): string {
  return source === 'RESPONSE_MS' ? ' ms' : source === 'CERTIFICATE_DAYS' ? ' days' : ''
}

/** The first values; null if there are none. */
export function listedValues(values: readonly Json[]): string | null {
  if (values.length === 0) return null
  const shown = values.slice(0, MAX_LISTED).map(valueText).join(', ')
  return values.length > MAX_LISTED ? `${shown} and ${values.length - MAX_LISTED} more` : shown
}

/** A value in JSON, cut where it is long. Lists and objects are not written out: they may be huge or nested deeply. */
function valueText(value: Json): string {
  if (typeof value === 'string') {
    const start = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS).toWellFormed()}…` : value
    return boundedText(JSON.stringify(start), 2 * MAX_VALUE_CHARS)
  }
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? `a list of ${value.length}` : 'an object'
}
