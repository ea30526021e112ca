import type { AnswerOf, BodyInput, Endpoint, HttpMethod, MethodOf, ParamsInput, PathOf, QueryOf } from './endpoint.ts'
import { List, type Page } from './list.ts'
import { isResourceId } from './resource-id.ts'
import { resources } from './resources.ts'
import { type ClientSettings, type Query, type RequestOptions, Transport } from './transport.ts'

type Resources = typeof resources

/** The methods of a kind of resource, such as `monitors`. */
export type Resource<R extends keyof Resources> = {
  readonly [M in keyof Resources[R]]: MethodOf<Resources[R][M]>
}

/** The input of `request`: parameters of the path, query and body, as the operation has or requires them. */
export type Input<M extends HttpMethod, P extends string> = ParamsInput<P> &
  BodyInput<M, P> & { readonly query?: QueryOf<M, P> }

/** It may be left out if nothing in it is required. */
type InputArguments<M extends HttpMethod, P extends string> =
  Record<string, never> extends Input<M, P>
    ? [input?: Input<M, P>, options?: RequestOptions]
    : [input: Input<M, P>, options?: RequestOptions]

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
}

const PREFIX = '/api/v1'

/**
 * A client of the Pharos API.
 *
 *     const pharos = new Pharos({ url: 'https://pharos.example.com', apiKey })
 *     const monitor = await pharos.monitors.create({ name: 'Shop', type: 'HTTP', url: 'https://shop.example.com' })
 */
export class Pharos {
  readonly #transport: Transport
  readonly monitors: Resource<'monitors'> = this.#resource('monitors')
  readonly labels: Resource<'labels'> = this.#resource('labels')
  /** Outages that were detected by checks. */
  readonly incidents: Resource<'incidents'> = this.#resource('incidents')
  readonly statusPages: Resource<'statusPages'> = this.#resource('statusPages')
  readonly maintenanceWindows: Resource<'maintenanceWindows'> = this.#resource('maintenanceWindows')
  /** Incidents on status pages, with their updates. */
  readonly publishedIncidents: Resource<'publishedIncidents'> = this.#resource('publishedIncidents')
  readonly webhookEndpoints: Resource<'webhookEndpoints'> = this.#resource('webhookEndpoints')
  readonly webhookDeliveries: Resource<'webhookDeliveries'> = this.#resource('webhookDeliveries')
  /** The state of all monitors at a glance. */
  readonly insight: Resource<'insight'> = this.#resource('insight')
  /** Who is alerted. */
  readonly contacts: Resource<'contacts'> = this.#resource('contacts')
  readonly configuration: Resource<'configuration'> = this.#resource('configuration')
  /** Imports from other tools. */
  readonly imports: Resource<'imports'> = this.#resource('imports')
  /** Comparisons with another tool after an import. */
  readonly shadowRuns: Resource<'shadowRuns'> = this.#resource('shadowRuns')
  readonly webhookEvents: Resource<'webhookEvents'> = this.#resource('webhookEvents')
  /** The key of this client. */
  readonly me: Resource<'me'> = this.#resource('me')
  readonly usage: Resource<'usage'> = this.#resource('usage')
  readonly auditLog: Resource<'auditLog'> = this.#resource('auditLog')
  readonly metrics: Resource<'metrics'> = this.#resource('metrics')

  constructor(settings: ClientSettings) {
    this.#transport = new Transport(settings)
  }

  /**
   * Calls any operation by method and path, with types:
   * `request('PATCH', '/monitors/{monitorId}', { params: { monitorId }, body: { name: 'Shop' } })`.
   */
  request<M extends HttpMethod, P extends PathOf<M> & string>(
    method: M,
    path: P,
    ...[input, options]: InputArguments<M, P>
  ): Promise<AnswerOf<M, P>> {
    return this.send(method, path, input as AnyInput | undefined, options) as Promise<AnswerOf<M, P>>
  }

  /** Calls a path below /api/v1 that this version of the client does not know. */
  send(method: HttpMethod, path: string, input: AnyInput = {}, options: RequestOptions = {}): Promise<unknown> {
    const { params = {}, query, body } = input
    const answer = answerOf(method, path)
    return this.#transport.send({ method, path: `${PREFIX}${filled(path, params)}`, query, body, answer }, options)
  }

  #resource<R extends keyof Resources>(name: R): Resource<R> {
    const methods = Object.entries<Endpoint>(resources[name]).map(([method, endpoint]) => {
      return [method, (...args: unknown[]) => this.#call(endpoint, args)]
    })
    return Object.fromEntries(methods)
  }

  #call(endpoint: Endpoint, args: readonly unknown[]): unknown {
    const { kind, method, path, timeoutMs } = endpoint
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const params = Object.fromEntries(names.map((name, i) => [name, args[i] as string]))
    if (kind === 'upload') {
      const [body, query, options] = args as [Blob, Query, RequestOptions?]
      return this.send(method, path, { query, body }, { timeoutMs: timeoutMs as number, ...options })
    }
    const [input, given] = (
      kind === 'get' || kind === 'act' ? [undefined, args[names.length]] : args.slice(names.length)
    ) as [Query | undefined, RequestOptions | undefined]
    const options = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...given }
    if (kind === 'list') {
      const read = (position: Query) => this.send(method, path, { params, query: { ...input, ...position } }, options)
      return new List(read as () => Promise<Page<unknown>>, input ?? {})
    }
    if (kind === 'find') return this.send(method, path, { params, query: input ?? {} }, options)
    // An operation without fields takes an empty object.
    const body = kind === 'send' ? input : method === 'POST' ? {} : undefined
    return this.send(method, path, { params, body }, options)
  }
}

const endpoints: readonly Endpoint[] = Object.values(resources).flatMap((methods) => Object.values<Endpoint>(methods))

/** The form of the answer, if the client knows the operation. */
function answerOf(method: HttpMethod, path: string): 'object' | 'list' | 'text' | undefined {
  const endpoint = endpoints.find((each) => each.method === method && each.path === path)
  if (endpoint === undefined) return undefined
  return endpoint.isText === true ? 'text' : endpoint.kind === 'list' ? 'list' : 'object'
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (!isResourceId(value)) throw new TypeError(`${name} must be the ID of a resource`)
    return encodeURIComponent(value)
  })
}
