import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Requests with an Expect header other than 100-continue. */
export const unmetExpectations = new WeakSet<IncomingMessage>()

/** Checks Expect and Host, because Node's own checks are turned off: their responses lack our headers. */
export function requireValidHeaders(request: IncomingMessage): void {
  if (unmetExpectations.has(request)) {
    const details = [{ path: 'expect', message: 'must be 100-continue' }]
    throw new ApiError('validation_error', 'The Expect header is not supported', { details })
  }
  const message = hostFault(request)
  if (message !== undefined) throw invalidHost(message)
}

/** For what needs no valid Host, such as health checks. */
export function requireOneHost(request: IncomingMessage): void {
  if (hasSeveralHosts(request)) throw invalidHost(REPEATED_HOST)
}

const REPEATED_HOST = 'must be given once'

function invalidHost(message: string): ApiError {
  return new ApiError('validation_error', 'A valid Host header is required', { details: [{ path: 'host', message }] })
}

function hostFault(request: IncomingMessage): string | undefined {
  const { host } = request.headers
  if (host === undefined) return request.httpVersion === '1.1' ? 'is required' : undefined
  if (!/^[^\s/?#@\\]*$/.test(host)) return 'is not a valid host'
  return hasSeveralHosts(request) ? REPEATED_HOST : undefined
}

/** Node keeps the first Host header, a proxy may have used the last one. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
