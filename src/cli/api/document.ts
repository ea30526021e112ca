import { readFileSync } from 'node:fs'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { once } from '../../lib/once.ts'

/** An operation as the OpenAPI document describes it. Schemas are read when they are used, with references resolved. */
export interface DocumentedOperation {
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** Below /api/v1, such as `/monitors/{monitorId}`. */
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly isDeprecated: boolean
  /** Whether the operation changes something, so that a read-only key may not call it. */
  readonly isChange: boolean
  /** Whether the change is a new resource. */
  readonly isCreation: boolean
  /** Whether it takes files instead of JSON. */
  readonly isUpload: boolean
  /** The heading that the operation stands under. */
  readonly group: string
  /** Whether the operation notifies people, or can; a list names the fields of the body that make it notify. */
  readonly notifies: boolean | readonly string[]
  /** The parameters of the path as an object. */
  readonly params: () => JsonSchema
  readonly query: () => JsonSchema
  readonly body: () => JsonSchema | undefined
  readonly answer: () => JsonSchema
  /** An example for each parameter of the path, by name. */
  readonly exampleParams: () => Readonly<Record<string, unknown>>
  readonly exampleBodies: () => readonly Readonly<Record<string, unknown>>[]
  /** The names of the headers of a success. */
  readonly answerHeaders: readonly string[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Content {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: {
    readonly 'application/json'?: Media
    readonly 'application/octet-stream'?: object
  }
}

interface Documented {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly 'x-notifies'?: true | readonly string[]
  /** Whether a read-only key may call it although it is not a GET. */
  readonly 'x-read-only-keys'?: true
  readonly parameters?: readonly unknown[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
}

const PREFIX = '/api/v1'

/** Read from the file instead of the table of operations: that would load all of the server, ten times slower. */
const document = once((): Document => {
  return JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
})

/** Every operation of the API, in the order of the document. */
export function allOperations(): DocumentedOperation[] {
  return Object.entries(document().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => described(method.toUpperCase(), path.slice(PREFIX.length), found)),
  )
}

/** The operation at a path below /api/v1, such as `/monitors/{monitorId}`. */
export function operationAt(method: string, path: string): DocumentedOperation {
  const found = document().paths[`${PREFIX}${path}`]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`openapi.json has no ${method} ${path}; run "npm run openapi"`)
  return described(method, path, found)
}

function described(method: string, path: string, found: Documented): DocumentedOperation {
  const { operationId, summary, description, deprecated, parameters = [], requestBody, responses } = found
  const all = once(() => parameters.map((parameter) => resolved(parameter, []) as Parameter))
  const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const schemaOf = (holder: Content | undefined) => holder?.content?.['application/json']?.schema
  return {
    id: operationId,
    method,
    path,
    summary,
    description,
    isDeprecated: deprecated === true,
    // Every change takes an Idempotency-Key.
    isChange:
      found['x-read-only-keys'] !== true &&
      parameters.some((parameter) => (parameter as { $ref?: string }).$ref?.endsWith('/IdempotencyKey')),
    isCreation: status === '201',
    isUpload: requestBody?.content?.['application/octet-stream'] !== undefined,
    group: found.tags[0] ?? '',
    notifies: found['x-notifies'] ?? false,
    params: once(() => objectOf(all(), 'path')),
    query: once(() => objectOf(all(), 'query')),
    body: once(() => resolved(schemaOf(requestBody), []) as JsonSchema | undefined),
    answer: once(() => (resolved(schemaOf(success), []) ?? {}) as JsonSchema),
    exampleParams: () => {
      return Object.fromEntries(all().flatMap((each) => (each.in === 'path' ? [[each.name, each.example]] : [])))
    },
    exampleBodies: () => {
      const { example, examples = {} } = requestBody?.content?.['application/json'] ?? {}
      const found = example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
      return found as Readonly<Record<string, unknown>>[]
    },
    answerHeaders: Object.keys(success?.headers ?? {}),
  }
}

/** The parameters at one place as the fields of an object. */
function objectOf(parameters: readonly Parameter[], place: 'path' | 'query'): JsonSchema {
  const chosen = parameters.filter((parameter) => parameter.in === place)
  const fields = chosen.map(({ name, description, schema }) => {
    return [name, description === undefined ? schema : { ...schema, description }]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: chosen.filter(({ required }) => required === true).map(({ name }) => name),
  }
}

/** Replaces references with what they refer to; a reference inside its own target becomes an empty schema. */
function resolved(part: unknown, inside: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, inside))
  if (typeof part !== 'object' || part === null) return part
  const { $ref: reference } = part as { $ref?: unknown }
  if (typeof reference !== 'string') {
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolved(value, inside)]))
  }
  if (inside.includes(reference)) return {}
  const names = reference.split('/').slice(1)
  const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document())
  return resolved(target, [...inside, reference])
}
