import { englishText } from '../reasons/english.ts'
import { type Reason, type ReasonCode, reason } from '../reasons/reason.ts'
/** All error codes. Clients branch on the code; the text may be reworded. */
export const errorCodes = {
  validation_error: { status: 400, meaning: 'Invalid JSON, content type, query, path or body' },
  invalid_idempotency_key: { status: 400, meaning: 'Idempotency-Key malformed or too long' },
  unauthorized: { status: 401, meaning: 'Missing, expired, disabled or invalid key' },
  forbidden: { status: 403, meaning: 'The key is read-only or lacks permission for the resource' },
  not_found: { status: 404, meaning: 'No such endpoint, or no such resource in this organization' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not for this method' },
  conflict: { status: 409, meaning: 'The request conflicts with the current state' },
  idempotency_conflict: { status: 409, meaning: 'Idempotency-Key already used for different input' },
  idempotency_in_progress: { status: 409, meaning: 'An earlier request with this Idempotency-Key is still running' },
  plan_limit: {
    status: 422,
    meaning: "The plan's limit is reached, or the plan does not permit such a short interval",
  },
  subscription_required: { status: 422, meaning: 'The organization has no active subscription' },
  rate_limited: { status: 429, meaning: 'The rate limit is reached; see Retry-After' },
  internal_error: { status: 500, meaning: 'Unexpected failure; safe to retry with the same Idempotency-Key' },
} as const

export type ErrorCode = keyof typeof errorCodes

/** One fault in the request. The path is dotted, such as `expectedStatus.3`. */
export interface Fault {
  readonly path: string
  readonly message: string
  /** The code of the message, for the dashboard. */
  readonly reason?: Reason
}

export function faultFor(path: string, reason: Reason): Fault {
  return { path, message: englishText(reason), reason }
}

interface Extras {
  readonly details?: readonly Fault[]
  readonly headers?: Readonly<Record<string, string>>
  /** The internal cause: logged, never sent. */
  readonly cause?: unknown
}

/** A failure whose text is sent to the client. Other errors are answered as `internal_error`. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The code of the message, for the dashboard. */
  readonly reason: Reason | undefined

  constructor(code: ErrorCode, message: Reason | string, { details, headers = {}, cause }: Extras = {}) {
    super(typeof message === 'string' ? message : englishText(message), { cause })
    this.reason = typeof message === 'string' ? undefined : message
    this.code = code
    this.status = errorCodes[code].status
    this.details = details
    this.headers = headers
  }
}

/** Entries in `details`. Validation may stop at one more. */
export const MAX_DETAILS = 100

export function invalid(faults: readonly Fault[], headers: Readonly<Record<string, string>> = {}): ApiError {
  const [first] = faults
  const atLeast = faults.length > MAX_DETAILS ? 'at least ' : ''
  const more = faults.length > 1 ? ` (and ${atLeast}${faults.length - 1} more)` : ''
  const message = first === undefined ? 'The request is invalid' : `${first.path} ${first.message}${more}`
  return new ApiError('validation_error', message, { details: faults.slice(0, MAX_DETAILS), headers })
}

/** The same text whether the resource does not exist or belongs to another organization. */
export function notFound(noun: Noun): ApiError {
  return new ApiError('not_found', reason('not_found', { noun: nounReason(noun) }))
}

type Spaced<Code extends string> = Code extends `${infer First}_${infer Rest}` ? `${First} ${Rest}` : Code
type After<Prefix extends string, Code> = Code extends `${Prefix}_${infer Rest}` ? Spaced<Rest> : never

/** What reasons have a word for, as in `noun_status_page`, and those that plans limit. */
export type Noun = After<'noun', ReasonCode>
export type LimitedNoun = After<'nouns', ReasonCode>

export function nounReason(noun: Noun): Reason {
  return { code: `noun_${noun.replace(' ', '_')}` as ReasonCode, values: {} }
}

export function nounsReason(noun: LimitedNoun): Reason {
  return { code: `nouns_${noun.replace(' ', '_')}` as ReasonCode, values: {} }
}

/** Long names are cut, because a fault repeats the names of all levels above it. */
export function joinPath(path: string, name: string): string {
  const shown = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name
  return path === '' ? shown : `${path}.${shown}`
}

const MAX_NAME_CHARS = 200
