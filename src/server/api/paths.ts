import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'

/** Throws 404 or 405 if no route matched the request. */
export function requirePath(operations: readonly Operation[], request: FastifyRequest, prefix: string): void {
  if (!request.is404) return
  const methods = methodsAt(operations, request.url, prefix)
  if (methods.length === 0) throw new ApiError('not_found', 'No such endpoint')
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  throw new ApiError('method_not_allowed', `${request.method} is not allowed here; ${allow} is`, { headers: { allow } })
}

function methodsAt(operations: readonly Operation[], url: string, prefix: string): string[] {
  const path = decodedPath(url)
  return operations
    .filter((operation) => path !== undefined && patternOf(operation, prefix).test(path))
    .map((operation) => operation.method)
}

function patternOf({ path }: Operation, prefix: string): RegExp {
  return new RegExp(`^${prefix}${path.replace(/:[^/]+/g, '[^/]+')}$`)
}

/** The decoded path of a request target, which may be a whole URL. Undefined if the encoding is invalid. */
function decodedPath(url: string): string | undefined {
  try {
    return decodeURI(url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1)[0] as string)
  } catch {
    return undefined
  }
}
