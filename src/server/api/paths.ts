import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'

/** Throws 404 or 405 if the method and path are not known, or if the path has an empty segment, which would be an empty id. */
export function requirePath(
  operations: readonly Operation[],
  request: FastifyRequest,
  prefix: string,
  isKnown: boolean,
): void {
  if (hasEmptySegment(request.url)) throw noSuchEndpoint(request.url)
  if (isKnown) return
  const methods = methodsAt(operations, request.url, prefix)
  if (methods.length === 0) throw noSuchEndpoint(request.url)
  throw methodNotAllowed(request.method, methods)
}

export function noSuchEndpoint(url: string): ApiError {
  const hint = '; the path must not end with a slash or have two slashes in a row'
  return new ApiError('not_found', `No such endpoint${hasEmptySegment(url) ? hint : ''}`)
}

/** HEAD works wherever GET does. */
export function methodNotAllowed(method: string, permitted: readonly string[]): ApiError {
  const methods = permitted.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
  const last = methods.at(-1) as string
  const listed = methods.length === 1 ? `${last} is` : `${methods.slice(0, -1).join(', ')} and ${last} are`
  const headers = { allow: methods.join(', ') }
  return new ApiError('method_not_allowed', `${method} is not allowed here; ${listed}`, { headers })
}

function hasEmptySegment(url: string): boolean {
  // Most requests end here: nothing is cut off or copied.
  if (!/\/(?:[/?#]|$)/.test(url)) return false
  return /\/(?:\/|$)/.test(pathOf(url))
}

function methodsAt(operations: readonly Operation[], url: string, prefix: string): string[] {
  const path = decodedPath(url)
  const matching = operations.filter((operation) => path !== undefined && patternOf(operation, prefix).test(path))
  return [...new Set(matching.map(({ method }) => method))]
}

function patternOf({ path }: Operation, prefix: string): RegExp {
  return new RegExp(`^${prefix}${path.replace(/:[^/]+/g, '[^/]+')}$`)
}

/** The decoded path of a request target. Undefined if the encoding is invalid. */
function decodedPath(url: string): string | undefined {
  try {
    return decodeURI(pathOf(url))
  } catch {
    return undefined
  }
}

/** The path of a request target, which may be a whole URL. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] as string
}
