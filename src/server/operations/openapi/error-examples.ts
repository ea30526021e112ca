import { planLimitReached, planNamed } from '../../../accounts/plans/plans.ts'
import { type ErrorCode, invalid, notFound } from '../../../contract/errors.ts'
import { monitorIsPaused } from '../../../monitoring/monitors/pause.ts'
import { englishText } from '../../../reasons/english.ts'
import { INVALID_KEY, READ_ONLY_KEY } from '../../api/authenticate.ts'
import { inProgress, KEY_OF_OTHER_INPUT, MALFORMED_KEY } from '../../api/idempotency.ts'
import { asApiError, rateLimited } from '../../api/respond.ts'
import { NO_SUBSCRIPTION } from '../../api/run-operation.ts'

const details = [{ path: 'url', message: 'is required for HTTP monitors' }]

/** Messages as the server sends them. */
const messages: Record<ErrorCode, string> = {
  validation_error: invalid(details).message,
  invalid_idempotency_key: MALFORMED_KEY,
  unauthorized: INVALID_KEY,
  forbidden: READ_ONLY_KEY,
  not_found: notFound('monitor').message,
  method_not_allowed: 'PUT is not allowed here; GET, HEAD and POST are',
  conflict: monitorIsPaused().message,
  idempotency_conflict: KEY_OF_OTHER_INPUT,
  idempotency_in_progress: inProgress().message,
  plan_limit: planLimitReached(planNamed('FREE'), 10, 'monitor').message,
  subscription_required: englishText(NO_SUBSCRIPTION),
  rate_limited: rateLimited({ resetsInMs: 17_000 }).message,
  internal_error: asApiError(undefined).message,
}

function exampleOf(code: ErrorCode) {
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
