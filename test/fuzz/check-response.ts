import assert from 'node:assert/strict'
import { errorStatus } from '../support/contract.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import type { Expected } from './expected-response.ts'

export interface Envelope {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly details?: readonly { readonly path: string; readonly message: string }[]
}

/** The value of a header; undefined if it is missing or repeated. */
export function headerOf({ headers }: RawAnswer, name: string): string | undefined {
  const values = headers.get(name) ?? []
  return values.length === 1 ? values[0] : undefined
}

/** All problems of a response under /api/v1, whatever the request was. */
export function problemsOf(answer: RawAnswer, { bodyless = false, isText = false } = {}): string[] {
  const wrong: string[] = []
  if (answer.status >= 500) wrong.push(`status ${answer.status}`)
  if (!/^req_[0-9a-f]{32}$/.test(headerOf(answer, 'x-request-id') ?? '')) wrong.push('no X-Request-Id')
  wrong.push(...rateComplaints(answer))
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ] as const) {
    if (headerOf(answer, name) !== value) wrong.push(`${name} is not ${value}`)
  }
  // Some texts are compressed.
  if (!/^Authorization, X-API-Key(, Accept-Encoding)?$/.test(headerOf(answer, 'vary') ?? '')) wrong.push('wrong Vary')
  const type = isText ? 'text/plain' : 'application/json'
  if (headerOf(answer, 'content-type')?.split(';', 1)[0] !== type) wrong.push(`not ${type} by its content type`)
  for (const [name, status] of [
    ['allow', 405],
    ['www-authenticate', 401],
    ['retry-after', 429],
  ] as const) {
    if (answer.headers.has(name) !== (answer.status === status)) wrong.push(`${name} on a ${answer.status}`)
  }
  if (!bodyless && !isText) wrong.push(...bodyComplaints(answer))
  return wrong
}

function rateComplaints(answer: RawAnswer): string[] {
  const number = (name: string): number => {
    const text = headerOf(answer, name) ?? ''
    return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN
  }
  const [limit, left, reset] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map(number)
  const wrong: string[] = []
  if (!(Number(limit) > 0)) wrong.push('no RateLimit-Limit')
  if (!(Number(left) <= Number(limit))) wrong.push('no RateLimit-Remaining')
  if (!(Number(reset) <= 60)) wrong.push('no RateLimit-Reset')
  if (headerOf(answer, 'ratelimit') !== `public-api;r=${left};t=${reset}`) wrong.push('RateLimit has another form')
  if (headerOf(answer, 'ratelimit-policy') !== `public-api;q=${limit};w=60`) wrong.push('RateLimit-Policy')
  return wrong
}

function bodyComplaints(answer: RawAnswer): string[] {
  let body: unknown
  try {
    body = JSON.parse(answer.body)
  } catch {
    return ['the body is not JSON']
  }
  return answer.status < 400 ? [] : envelopeComplaints(answer, body as { error?: Partial<Envelope> } | null)
}

function envelopeComplaints(answer: RawAnswer, body: { error?: Partial<Envelope> } | null): string[] {
  const error = body?.error
  if (error === undefined || Object.keys(body ?? {}).length !== 1) return ['no error envelope']
  const wrong: string[] = []
  if (errorStatus[error.code ?? ''] !== answer.status) wrong.push(`${error.code} with status ${answer.status}`)
  if (typeof error.message !== 'string' || error.message === '') wrong.push('no message')
  if (error.requestId !== headerOf(answer, 'x-request-id')) wrong.push('requestId differs from X-Request-Id')
  const known = ['code', 'message', 'requestId', 'details']
  if (Object.keys(error).some((name) => !known.includes(name))) wrong.push('more in the envelope than there may be')
  if ((error.details !== undefined) !== (error.code === 'validation_error')) wrong.push(`details with ${error.code}`)
  for (const fault of error.details ?? []) {
    const isFault = typeof fault.path === 'string' && fault.path !== '' && typeof fault.message === 'string'
    if (!isFault || Object.keys(fault).length !== 2) wrong.push(`a fault reads ${JSON.stringify(fault)}`)
  }
  if (error.details?.length === 0) wrong.push('details are empty')
  return wrong
}

/** Responses may leave out faults beyond this number. */
const MANY_FAULTS = 100

/** Asserts that a request was refused as expected. */
export function expectRefusal(answer: RawAnswer, expected: Exclude<Expected, { accepted: unknown }>): void {
  const responseText = `${answer.status} ${answer.body.slice(0, 500)}`
  if ('status' in expected) {
    assert.equal(answer.status, expected.status, responseText)
    assert.equal(envelopeOf(answer).code, expected.code, responseText)
    return
  }
  assert.equal(answer.status, 400, responseText)
  const { details = [] } = envelopeOf(answer)
  const reported = details.map(({ path }) => path)
  const missing = expected.faults.filter((path) => !reported.includes(path))
  assert.ok(
    missing.length === 0 || reported.length >= MANY_FAULTS,
    `faults that were not reported: ${missing}: ${responseText}`,
  )
  // A query parameter and a field of the body may have the same name.
  const faults = new Set(details.map(({ path, message }) => `${path} ${message}`))
  assert.equal(faults.size, details.length, `a fault was reported twice: ${responseText}`)
}

/** The envelope of an error response that has no problems. */
export function envelopeOf(answer: RawAnswer): Envelope {
  return JSON.parse(answer.body).error as Envelope
}
