import type { JsonSchema } from '../../lib/json-schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Media {
  /** An upload has none. */
  readonly schema?: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Response {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}

interface DescribedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly 'x-cli'?: string
  readonly 'x-client'?: string
  readonly parameters?: readonly unknown[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, unknown>>
}

/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: DescribedOperation }>>
  readonly components?: object
}

/** An example body; without a name if there is only one. */
interface NamedExample {
  readonly name: string
  readonly value: unknown
}

export interface ReferenceOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string | undefined
  readonly isDeprecated: boolean
  readonly isUpload: boolean
  /** The call of the command line, such as `pharos monitors pause MONITOR_ID`. */
  readonly cli: string | undefined
  /** The call of the TypeScript client, such as `pharos.monitors.pause(monitorId)`. */
  readonly client: string | undefined
  readonly parameters: readonly Parameter[]
  readonly body:
    | { readonly schema: JsonSchema; readonly isRequired: boolean; readonly examples: readonly NamedExample[] }
    | undefined
  readonly success: {
    readonly status: string
    readonly description: string
    readonly type: string
    readonly schema: JsonSchema | undefined
    readonly example: unknown
  }
  readonly errors: readonly { readonly status: string; readonly description: string }[]
}

export type Resolve = <T>(node: unknown) => T

/** Follows references within the document. */
function resolver(document: OpenApi): Resolve {
  const resolve = (node: unknown): unknown => {
    const { $ref } = (node ?? {}) as { $ref?: string }
    if ($ref === undefined) return node
    const steps = $ref.replace(/^#\//, '').split('/')
    const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[unescaped(step)], document)
    return resolve(target)
  }
  return resolve as Resolve
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A document as the reference uses it. */
export interface Model {
  readonly document: OpenApi
  readonly operations: readonly ReferenceOperation[]
  /** The requests that a receiver of webhooks gets. */
  readonly events: readonly ReferenceOperation[]
  readonly resolve: Resolve
}

export function modelOf(document: OpenApi): Model {
  const resolve = resolver(document)
  const events = Object.entries(document.webhooks ?? {}).map(([type, { post }]) => {
    return operationOf('POST', type, post, resolve)
  })
  return { document, operations: operationsIn(document, resolve), events, resolve }
}

const methods = new Set(['get', 'post', 'put', 'patch', 'delete'])

function operationsIn(document: OpenApi, resolve: Resolve): ReferenceOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, described]) => operationOf(method.toUpperCase(), path, described, resolve)),
  )
}

function operationOf(
  method: string,
  path: string,
  described: DescribedOperation,
  resolve: Resolve,
): ReferenceOperation {
  const responses = Object.entries(described.responses).map(([status, response]) => ({
    status,
    ...resolve<Response>(response),
  }))
  const success = responses.find(({ status }) => status.startsWith('2'))
  const [type, media] = Object.entries(success?.content ?? {})[0] ?? []
  const sent = described.requestBody === undefined ? undefined : Object.values(described.requestBody.content)[0]
  return {
    id: described.operationId,
    method,
    path,
    tag: described.tags[0] ?? '',
    summary: described.summary,
    description: described.description,
    isDeprecated: described.deprecated === true,
    cli: described['x-cli'],
    client: described['x-client'],
    parameters: (described.parameters ?? []).map((parameter) => resolve<Parameter>(parameter)),
    isUpload: sent !== undefined && sent.schema === undefined,
    body: sent?.schema && {
      schema: sent.schema,
      isRequired: described.requestBody?.required === true,
      examples: examplesOf(sent, resolve),
    },
    success: {
      status: success?.status ?? '200',
      description: success?.description ?? '',
      type: type ?? 'application/json',
      schema: media?.schema,
      example: media === undefined ? undefined : examplesOf(media, resolve)[0]?.value,
    },
    errors: responses
      .filter(({ status }) => !status.startsWith('2'))
      .map(({ status, description }) => ({ status, description })),
  }
}

function examplesOf({ example, examples = {} }: Media, resolve: Resolve): NamedExample[] {
  if (example !== undefined) return [{ name: '', value: example }]
  return Object.entries(examples).map(([name, node]) => ({ name, value: resolve<{ value: unknown }>(node).value }))
}

/** `Status pages` becomes `status-pages`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
