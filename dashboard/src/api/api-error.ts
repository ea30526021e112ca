import { type Fault, faultText } from '../lib/faults.ts'
import { t } from '../lib/i18n.ts'

/** A failed request, with the fields of the server's error envelope. */
export class RequestError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  readonly details: readonly Fault[]

  constructor(response: {
    code: string
    message: string
    status: number
    requestId?: string | null
    details?: readonly Fault[] | undefined
  }) {
    super(response.message)
    this.code = response.code
    this.status = response.status
    this.requestId = response.requestId ?? null
    this.details = response.details ?? []
  }

  /** Messages for one form field, including its parts (`sections.0.name` for `sections`): "End must be after start". */
  at(path: string, label = ''): string | undefined {
    const found = this.details.filter((detail) => detail.path === path || detail.path.startsWith(`${path}.`))
    return found.length === 0 ? undefined : found.map((fault) => faultText(fault, label)).join('. ')
  }
}

/** Without the details of one field, once its value has changed; null if none is left. */
export function withoutField(error: RequestError | null, path: string): RequestError | null {
  if (error === null) return null
  const details = error.details.filter((detail) => detail.path !== path && !detail.path.startsWith(`${path}.`))
  if (details.length === error.details.length) return error
  return details.length === 0 ? null : new RequestError({ ...error, message: error.message, details })
}

/** Whether a later retry may succeed. */
export function isTemporary(problem: unknown): boolean {
  return problem instanceof RequestError && (problem.status === 0 || problem.status >= 500 || problem.status === 429)
}

export function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new RequestError({ code: 'unexpected', message, status: 0 })
}

/** For errors that the form finds before sending. */
export function fieldErrorAt(path: string, message: string): RequestError {
  return new RequestError({
    code: 'validation_error',
    message: t('Please fix the fields above'),
    status: 400,
    details: [{ path, message }],
  })
}
