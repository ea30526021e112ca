import { readFileSync } from 'node:fs'
import type { JsonSchema } from '../../lib/json-schema.ts'

/** An operation as the OpenAPI document describes it, references resolved. */
export interface DocumentedOperation {
  readonly summary: string
  readonly description: string | undefined
  readonly query: JsonSchema
  readonly body: JsonSchema | undefined
  readonly answer: JsonSchema
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: JsonSchema
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: JsonSchema } }
}

interface Documented {
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
}

/** Read from the file instead of the table of operations: that would load all of the server, ten times slower. */
const document: Document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))

/** The operation at a path below /api/v1, such as `/monitors/{monitorId}`. */
export function operationAt(method: string, path: string): DocumentedOperation {
  const found = document.paths[`/api/v1${path}`]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`openapi.json has no ${method} ${path}; run "npm run openapi"`)
  const { summary, description, parameters = [], requestBody, responses } = resolved(found, []) as Documented
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const fields = inQuery.map(({ name, description: text, schema }) => {
    return [name, text === undefined ? schema : { ...schema, description: text }]
  })
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  return {
    ...{ summary, description, query: { type: 'object', properties: Object.fromEntries(fields) } },
    body: requestBody?.content?.['application/json']?.schema,
    answer: success?.content?.['application/json']?.schema ?? {},
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
  const target = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
  return resolved(target, [...inside, reference])
}
