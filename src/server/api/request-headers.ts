import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Requests with an Expect header other than 100-continue. */
export const unmetExpectations = new WeakSet<IncomingMessage>()

/** Checks Expect and Host, because Node's own checks are turned off: their responses lack our headers. */
export function requireValidHeaders(request: IncomingMessage): void {
  if (unmetExpectations.has(request)) {
    const details = [{ path: 'expect', message: 'must be 100-continue' }]
    throw new ApiError('validation_error', 'The expectation cannot be met', { details })
  }
  const message = hostFault(request)
  if (message === undefined) return
  throw new ApiError('validation_error', 'A valid Host header is required', { details: [{ path: 'host', message }] })
}

function hostFault({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === '1.1' ? 'is required' : undefined
  if (!/^[^\s/?#@\\]*$/.test(host)) return 'is not a valid host'
  let count = 0
  // Node keeps the first Host header, a proxy may have used the last one.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1 ? 'must be given once' : undefined
}
