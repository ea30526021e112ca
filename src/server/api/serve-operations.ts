import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../contract/operation.ts'
import { pathOf, requirePath } from './paths.ts'
import type { Headers } from './respond.ts'

/** An operation as one of the two APIs serves it. */
export interface ServedOperation {
  readonly operation: Operation
  /** What is checked before the input. */
  readonly check: (request: FastifyRequest) => void | Promise<void>
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  /** The headers of a deprecated operation. */
  readonly deprecation?: Headers | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if no operation has the method and path of the request. */
    served: ServedOperation | undefined
  }
}

/**
 * Serves all operations by one route. Fastify would take half of the time of a start to make a route for each. `authenticate` runs
 * before the path is judged.
 */
export function serveOperations(
  app: FastifyInstance,
  prefix: string,
  all: readonly ServedOperation[],
  authenticate: (request: FastifyRequest) => Promise<void>,
): void {
  const operations = all.map(({ operation }) => operation)
  const paths = new Paths(all)
  app.decorateRequest('served', undefined)
  app.addHook('onRequest', async (request) => {
    const isOperation = request.routeOptions.url === `${prefix}/*`
    if (isOperation) paths.match(request, prefix)
    await authenticate(request)
    const isKnown = isOperation ? request.served !== undefined : !request.is404
    requirePath(operations, request, prefix, isKnown)
  })
  app.setNotFoundHandler((request) => requirePath(operations, request, prefix, false))
  app.route({
    method: [...new Set(['HEAD', ...operations.map(({ method }) => method)])],
    url: '/*',
    onRequest: async (request) => request.served?.check(request),
    handler: (request, reply) => (request.served as ServedOperation).handle(request, reply),
  })
}

/** The operations below a segment of a path. */
class Segment {
  readonly fixed = new Map<string, Segment>()
  parameter: Segment | undefined
  end: { readonly served: ServedOperation; readonly names: readonly string[] } | undefined
}

class Paths {
  readonly #byMethod = new Map<string, Segment>()

  constructor(all: readonly ServedOperation[]) {
    for (const served of all) {
      const { method, path } = served.operation
      const segments = path.split('/').slice(1)
      let at = childOf(this.#byMethod, method)
      for (const segment of segments) {
        if (segment.startsWith(':')) at = at.parameter ??= new Segment()
        else at = childOf(at.fixed, segment)
      }
      const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1))
      at.end = { served, names }
    }
  }

  /** Sets the operation and the parameters of a request. HEAD works wherever GET does. */
  match(request: FastifyRequest, prefix: string): void {
    const root = this.#byMethod.get(request.method === 'HEAD' ? 'GET' : request.method)
    const segments = pathOf(request.url)
      .slice(prefix.length + 1)
      .split('/')
      .map(decoded)
    const values: string[] = []
    const end = root && find(root, segments, 0, values)
    if (end === undefined) return
    request.served = end.served
    const params: Record<string, string> = {}
    for (const [i, name] of end.names.entries()) params[name] = values[i] as string
    request.params = params
  }
}

function decoded(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment
}

function childOf(of: Map<string, Segment>, name: string): Segment {
  const known = of.get(name) ?? new Segment()
  of.set(name, known)
  return known
}

/** A fixed segment precedes a parameter. Adds the values of parameters to `values`. */
function find(at: Segment, segments: readonly string[], depth: number, values: string[]): Segment['end'] {
  const next = segments[depth]
  if (next === undefined) return at.end
  const fixed = at.fixed.get(next)
  const end = fixed && find(fixed, segments, depth + 1, values)
  if (end !== undefined || at.parameter === undefined) return end
  const count = values.push(next)
  const below = find(at.parameter, segments, depth + 1, values)
  if (below === undefined) values.length = count - 1
  return below
}
