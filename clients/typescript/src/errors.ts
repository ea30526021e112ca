import type { components } from './generated/schema.ts'

type ErrorBody = components['schemas']['Error']['error']

/** The codes of the API, and three of the client: no response, no response in time, and a response that is not the API's. */
export type ErrorCode = ErrorBody['code'] | 'network_error' | 'timeout' | 'unexpected_response'

/** One fault in a request. The path is dotted and names the field, such as `expectedStatus.3`. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** A response as it arrived. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Circumstances {
  readonly response?: RawResponse
  readonly requestId?: string | undefined
  readonly details?: readonly Fault[] | undefined
  readonly cause?: unknown
}

/** A request that failed. Decide by `code`; the message may be reworded. */
export class PharosError extends Error {
  override readonly name: string = 'PharosError'
  readonly #response: RawResponse | undefined
  readonly code: ErrorCode
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined
  /** All faults of a request that is invalid; empty for other errors. */
  readonly details: readonly Fault[]
  /** Seconds after which the request may be repeated; undefined without a Retry-After header. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, circumstances: Circumstances = {}) {
    const { response, requestId, details = [], cause } = circumstances
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = response?.status ?? 0
    this.requestId = requestId ?? response?.headers.get('x-request-id') ?? undefined
    this.details = details
    this.retryAfter = retryAfterSeconds(response?.headers.get('retry-after') ?? null, Date.now())
    this.#response = response
  }

  /** The response; undefined if there was none. Not a field, so that a log of the error does not contain it. */
  get response(): RawResponse | undefined {
    return this.#response
  }
}

/** The request is invalid: see `details`. */
export class ValidationError extends PharosError {
  override readonly name = 'ValidationError'
}

/** The key is missing, wrong, expired or disabled. */
export class AuthenticationError extends PharosError {
  override readonly name = 'AuthenticationError'
}

/** The key may not do this. */
export class PermissionError extends PharosError {
  override readonly name = 'PermissionError'
}

export class NotFoundError extends PharosError {
  override readonly name = 'NotFoundError'
}

/** The request conflicts with the current state, or its idempotency key with another request. */
export class ConflictError extends PharosError {
  override readonly name = 'ConflictError'
}

/** The plan does not allow it. */
export class PlanError extends PharosError {
  override readonly name = 'PlanError'
}

/** Too many requests: see `retryAfter`. */
export class RateLimitError extends PharosError {
  override readonly name = 'RateLimitError'
}

/** The server failed. */
export class ServerError extends PharosError {
  override readonly name = 'ServerError'
}

/** No response, or none in time. */
export class ConnectionError extends PharosError {
  override readonly name = 'ConnectionError'
}

/** A response that is not from Pharos, such as that of a proxy. */
export class UnexpectedResponseError extends PharosError {
  override readonly name = 'UnexpectedResponseError'
}

const classes: Readonly<Partial<Record<ErrorCode, typeof PharosError>>> = {
  validation_error: ValidationError,
  invalid_idempotency_key: ValidationError,
  unauthorized: AuthenticationError,
  forbidden: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  idempotency_conflict: ConflictError,
  idempotency_in_progress: ConflictError,
  plan_limit: PlanError,
  subscription_required: PlanError,
  rate_limited: RateLimitError,
  internal_error: ServerError,
  network_error: ConnectionError,
  timeout: ConnectionError,
  unexpected_response: UnexpectedResponseError,
}

/** The error of a code. A code of a newer server is a plain PharosError. */
export function errorWith(code: ErrorCode, message: string, circumstances: Circumstances): PharosError {
  return new (classes[code] ?? PharosError)(code, message, circumstances)
}

/** The error of a response that is not 2xx. */
export function errorOf(response: RawResponse, isOpaqueRedirect: boolean): PharosError {
  const { status, headers, text } = response
  const body = envelope(text)
  if (body !== undefined) {
    const { code, message, details, requestId } = body
    return errorWith(code, message, { response, requestId, details })
  }
  if (!isOpaqueRedirect && (status < 300 || status >= 400)) return unexpected(response)
  const location = headers.get('location')
  const target = location === null ? '' : ` to ${location}`
  const message = `The server redirected the request${target}; use the final address as url`
  return errorWith('unexpected_response', message, { response })
}

/** The error of a response that Pharos cannot have sent. */
export function unexpected(response: RawResponse, cause?: unknown): PharosError {
  const message = `The response with status ${response.status} is not from Pharos; check the address and proxies in between`
  return errorWith('unexpected_response', message, { response, cause })
}

function envelope(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorBody }
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** Retry-After is a number of seconds or an HTTP date. */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}
