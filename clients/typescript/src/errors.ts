import type { components } from './generated/schema.ts'

type ErrorBody = components['schemas']['Error']['error']

/** The codes of the API, and three of the client: no response, no response in time, and a response that is not the API's. */
export type ErrorCode = ErrorBody['code'] | 'network_error' | 'timeout' | 'unexpected_response'

/** One fault in a request. The path is dotted and names the field, such as `expectedStatus.3`. */
export interface Fault {
  readonly path: string
  readonly message: string
}

interface Circumstances {
  readonly status?: number
  readonly requestId?: string | undefined
  readonly details?: readonly Fault[] | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** A request that failed. Decide by `code`; the message may be reworded. */
export class PharosError extends Error {
  override readonly name = 'PharosError'
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
    const { status = 0, requestId, details = [], retryAfter, cause } = circumstances
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** The error of a response that is not 2xx. `text` is its body. */
export function errorOf(response: Response, text: string, now: number): PharosError {
  const { status, headers } = response
  const retryAfter = retryAfterSeconds(headers.get('retry-after'), now)
  const requestId = headers.get('x-request-id') ?? undefined
  const body = envelope(text)
  if (body !== undefined) {
    const { code, message, details } = body
    return new PharosError(code, message, { status, requestId: body.requestId ?? requestId, details, retryAfter })
  }
  return new PharosError('unexpected_response', describeUnexpected(response), { status, requestId, retryAfter })
}

function describeUnexpected({ status, headers, type }: Response): string {
  const location = headers.get('location')
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return `The server redirected the request${location === null ? '' : ` to ${location}`}; use the final address as url`
  }
  return `The response with status ${status} is not from Pharos; check the address and proxies in between`
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
