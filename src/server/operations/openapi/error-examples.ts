import type { ErrorCode } from '../../../contract/errors.ts'

/** Messages as the server sends them. */
const messages: Record<ErrorCode, string> = {
  validation_error: 'url is required for HTTP monitors',
  invalid_idempotency_key: 'Idempotency-Key must be 1 to 200 characters of A-Z, a-z, 0-9, ".", "_", ":" and "-"',
  unauthorized: 'The API key is missing or invalid',
  forbidden: 'This API key is read-only',
  not_found: 'No such monitor',
  method_not_allowed: 'PUT is not allowed here; GET, HEAD and POST are',
  conflict: 'The monitor is paused; resume it first',
  idempotency_conflict: 'This Idempotency-Key was used for a different request',
  idempotency_in_progress: 'A request with this Idempotency-Key is still running',
  plan_limit: 'The plan FREE allows 50 monitors',
  subscription_required: 'The organization has no active subscription',
  rate_limited: 'Rate limit exceeded; try again in 17 s',
  internal_error: 'Unexpected error',
}

function exampleOf(code: ErrorCode) {
  const details = [{ path: 'url', message: 'is required for HTTP monitors' }]
  return {
    summary: code,
    value: {
      error: {
        code,
        message: messages[code],
        requestId: 'req_019a8c60b1a87000a1b2c3d4e5f60718',
        ...(code === 'validation_error' && { details }),
      },
    },
  }
}

/** An example of each error; responses refer to them. */
export const errorExamples = Object.fromEntries(
  (Object.keys(messages) as ErrorCode[]).map((code) => [code, exampleOf(code)]),
)

export function errorExampleRefs(codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}
