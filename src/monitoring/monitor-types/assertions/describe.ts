import type { Assertion } from '../../../contract/check-options.ts'
import { listedReason, type Reason, reason } from '../../../reasons/reason.ts'
import { boundedText } from '../bounded-text.ts'
import type { Json } from './json-path.ts'

const MAX_SUBJECT_CHARS = 120
const MAX_VALUE_CHARS = 100
const MAX_LISTED = 3

/** What an assertion is about: `$.db.status`, `Header server`. */
export function subjectOf({ source, path = '' }: Assertion): Reason | string {
  switch (source) {
    case 'STATUS':
      return reason('subject_status')
    case 'HEADER':
      return reason('subject_header', { name: boundedText(path, MAX_SUBJECT_CHARS) })
    case 'JSON':
      return boundedText(path, MAX_SUBJECT_CHARS)
    case 'BODY':
      return reason('subject_body')
    case 'RESPONSE_MS':
      return reason('subject_response_time')
    case 'CERTIFICATE_DAYS':
      return reason('subject_certificate')
    case 'RECORD':
      return reason('subject_record')
  }
}

/** What was found and what was expected: `$.db.status is "degraded", expected "ok"`. */
export function failureReason(assertion: Assertion, values: readonly Json[], wrong: readonly Json[]): Reason {
  const subject = subjectOf(assertion)
  const found = foundReason(assertion, values, wrong)
  const expected = expectedReason(assertion)
  return expected === null
    ? reason('assertion_plain', { subject, found })
    : reason('assertion', { subject, found, expected })
}

function foundReason({ source }: Assertion, values: readonly Json[], wrong: readonly Json[]): Reason {
  if (values.length === 0) return reason(source === 'BODY' ? 'found_empty' : 'found_nothing')
  if (source === 'RECORD') return reason('found', { value: listedValues(wrong) ?? '' })
  const value = withUnit(valueText(wrong[0] as Json), source)
  return values.length > 1
    ? reason('found_in_places', { value, wrong: wrong.length, count: values.length })
    : reason('found', { value })
}

/** Null where the text before says it all. */
function expectedReason({ source, operator, value = null }: Assertion): Reason | string | null {
  switch (operator) {
    case 'EQUALS':
      return withUnit(valueText(value), source)
    case 'NOT_EQUALS':
      return reason('expected_other')
    case 'CONTAINS':
      return reason('expected_containing', { value: valueText(value) })
    case 'NOT_CONTAINS':
      return reason('expected_without', { value: valueText(value) })
    case 'MATCHES':
      return reason('expected_matching', { pattern: boundedText(String(value), MAX_VALUE_CHARS) })
    case 'GREATER':
      return reason('expected_more', { value: withUnit(String(value), source) })
    case 'LESS':
      return reason('expected_less', { value: withUnit(String(value), source) })
    case 'EXISTS':
      return null
    case 'NOT_EXISTS':
      return reason('expected_missing')
  }
}

function withUnit(value: Reason | string, source: Assertion['source']): Reason | string {
  if (source === 'RESPONSE_MS') return reason('milliseconds', { value })
  return source === 'CERTIFICATE_DAYS' ? reason('days', { value }) : value
}

/** The first values; null if there are none. */
export function listedValues(values: readonly Json[]): Reason | null {
  if (values.length === 0) return null
  return listedReason(values.slice(0, MAX_LISTED).map(valueText), values.length)
}

/** A value in JSON, cut where it is long. Lists and objects are not written out: they may be huge or nested deeply. */
function valueText(value: Json): Reason | string {
  if (typeof value === 'string') {
    const start = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS).toWellFormed()}…` : value
    return boundedText(JSON.stringify(start), 2 * MAX_VALUE_CHARS)
  }
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? reason('value_list', { count: value.length }) : reason('value_object')
}
