import { readFileSync } from 'node:fs'
import { type ErrorCode, errorCodes } from '../../../contract/errors.ts'
import { DEFAULT_BODY_BYTES, type Operation } from '../../../contract/operation.ts'
import { DOCUMENTED } from '../../../contract/schema.ts'
import { sizeText } from '../../api/request-body.ts'
import type { OperationExample } from '../examples/operation-example.ts'
import { idExamples, operationExamples } from '../examples/operations.ts'
import { errorSchema, everyAnswer, type HeaderName, headers, parameters, securitySchemes, tags } from './components.ts'
import { description } from './description.ts'
import { errorExampleRefs, errorExamples } from './error-examples.ts'
import { descriptionOf } from './property-descriptions.ts'
import { WEBHOOK_TAG, webhookSection } from './webhooks.ts'

export type JsonObject = { [key: string]: unknown }

export const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const API_PATH = '/api/v1'

/** How an operation is called, with placeholders for its parameters. */
export interface Calls {
  /** `pharos monitors pause MONITOR_ID` */
  readonly cli?: string
  /** `pharos.monitors.pause(monitorId)` */
  readonly client: string
}

/**
 * Generates the OpenAPI 3.1 document from the table of operations and the event catalogue, for scripts/openapi.ts. The server reads
 * the file. `calls` are by the ID of the operation.
 */
export function openApiDocument(
  operations: readonly Operation[],
  baseUrl: string,
  calls: Readonly<Record<string, Calls>> = {},
): JsonObject {
  const schemas: JsonObject = {}
  const responses: JsonObject = {}
  const refer = referrer(schemas)
  refer(errorSchema)
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const path = API_PATH + operation.path.replace(/:([^/]+)/g, '{$1}')
    const methods = methodsAt(operations, operation.path)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operation, methods, refer, responses, calls[operation.id]),
    }
  }
  const webhooks = webhookSection(refer)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pharos API',
      version,
      summary: 'Uptime monitoring: monitors, incidents, status pages, maintenance windows and webhooks',
      description,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    externalDocs: { description: 'API reference with guides', url: `${baseUrl}/docs` },
    servers: [{ url: baseUrl }],
    security: [{ ApiKeyHeader: [] }, { BearerKey: [] }],
    tags: [...new Set([...operations.map(({ tag }) => tag), WEBHOOK_TAG])].map((name) => ({
      name,
      description: tags[name],
    })),
    paths,
    webhooks,
    components: {
      schemas: sorted(schemas),
      responses: sorted(responses),
      headers: headersIn({ paths, responses }),
      parameters,
      securitySchemes,
      examples: errorExamples,
    },
  }
}

export type Refer = (schema: unknown) => unknown

/** HEAD works wherever GET does. It is no operation of its own: generated clients would have a function for each. */
function methodsAt(operations: readonly Operation[], path: string): string[] {
  return operations
    .filter((operation) => operation.path === path)
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

function describe(
  operation: Operation,
  methods: readonly string[],
  refer: Refer,
  shared: JsonObject,
  calls?: Calls,
): JsonObject {
  const { id, tag, summary, description, deprecated, extension, notifies } = operation
  const example = operationExamples[id]
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...(extension && { 'x-extension': true }),
    ...(notifies && { 'x-notifies': notifies }),
    ...(calls?.cli && { 'x-cli': calls.cli }),
    ...(calls && { 'x-client': calls.client }),
    parameters: [
      ...declared(operation.params, 'path', refer, idExamples),
      ...declared(operation.query, 'query', refer, example?.query),
      ...(operation.access === 'write' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, refer, example) }),
    responses: { ...success(operation, refer, example), ...failures(operation, methods, shared) },
  }
}

export function declared(
  schema: unknown,
  place: 'path' | 'query',
  refer: Refer,
  examples?: Readonly<Record<string, unknown>>,
): JsonObject[] {
  if (schema === undefined) return []
  const { properties } = schema as { properties: Record<string, JsonObject> }
  return Object.entries(properties).map(([name, property]) => {
    const { description = descriptionOf(name), ...rest } = refer(property) as JsonObject
    const described = description === undefined ? {} : { description }
    return { name, in: place, required: place === 'path', ...described, schema: rest, example: examples?.[name] }
  })
}

export function requestBody(
  { body, bodyRequired = true, bodyLimitBytes = DEFAULT_BODY_BYTES, isUpload }: Operation,
  refer: Refer,
  { body: example, bodies }: Partial<OperationExample> = {},
): JsonObject {
  const named = Object.entries(bodies ?? {}).map(([name, value]) => [name, { summary: name, value }])
  const shown =
    bodies !== undefined ? { examples: Object.fromEntries(named) } : example !== undefined ? { example } : {}
  return {
    description: `At most ${sizeText(bodyLimitBytes)}`,
    required: bodyRequired,
    content: isUpload ? { 'application/octet-stream': {} } : { 'application/json': { schema: refer(body), ...shown } },
  }
}

function success(operation: Operation, refer: Refer, example?: OperationExample): JsonObject {
  const { status, schema, description, mediaType } = operation.answer
  const extra: HeaderName[] = operation.access === 'write' ? ['Idempotency-Replayed'] : []
  const { headers: shared, ...body } = content(
    operation,
    { schema: refer(schema), example: example?.answer },
    extra,
    mediaType,
  )
  if (operation.answer.alsoYaml === true) {
    body.content = { ...(body.content as JsonObject), 'application/yaml': { schema: { type: 'string' } } }
  }
  const own = Object.entries(operation.answer.headers ?? {}).map(([name, header]) => [
    name,
    { description: header.description, schema: { type: 'string', examples: [header.example] } },
  ])
  return { [status]: { description, headers: { ...(shared as JsonObject), ...Object.fromEntries(own) }, ...body } }
}

/** The errors of an operation by status: common ones, those of every change, and its own. */
function failures(operation: Operation, methods: readonly string[], shared: JsonObject): JsonObject {
  const ofChanges: ErrorCode[] = [
    'forbidden',
    'invalid_idempotency_key',
    'idempotency_conflict',
    'idempotency_in_progress',
    'subscription_required',
  ]
  const codes = new Set<ErrorCode>([
    'validation_error',
    'unauthorized',
    'method_not_allowed',
    'rate_limited',
    'internal_error',
    ...(operation.access === 'write' ? ofChanges : []),
    ...(operation.errors ?? []),
  ])
  const byStatus = Map.groupBy(
    (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code)),
    (code) => errorCodes[code].status,
  )
  const extra: Partial<Record<number, HeaderName[]>> = {
    401: ['WWW-Authenticate'],
    405: ['Allow'],
    ...(codes.has('idempotency_in_progress') && { 409: ['Retry-After'] }),
    429: ['Retry-After'],
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const allowed = status === 405 ? ` Allowed here: ${methods.join(', ')}.` : ''
      const description = group.map((code) => `\`${code}\`: ${errorCodes[code].meaning}.`).join(' ') + allowed
      const body = { schema: { $ref: '#/components/schemas/Error' }, examples: errorExampleRefs(group) }
      const response = { description, ...content(operation, body, extra[status] ?? []) }
      // The responses of a deprecated operation have headers of their own.
      if (operation.deprecated !== undefined) return [status, response]
      return [status, referToResponse(shared, group, response, status === 405 ? methods : [])]
    }),
  )
}

/** Moves an error response to `components`, named after its codes (`PlanLimitOrSubscriptionRequired`) and methods. */
export function referToResponse(
  responses: JsonObject,
  codes: readonly ErrorCode[],
  response: JsonObject,
  methods: readonly string[] = [],
): JsonObject {
  const name = codes.map(pascal).join('Or') + methods.map(pascal).join('')
  responses[name] = response
  return { $ref: `#/components/responses/${name}` }
}

/** `rate_limited` becomes `RateLimited`. */
function pascal(text: string): string {
  return text.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
}

function content(
  operation: Operation,
  body: JsonObject,
  extra: readonly HeaderName[],
  mediaType = 'application/json',
): JsonObject {
  const ofDeprecated: HeaderName[] = operation.deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link']
  const names = [...everyAnswer, ...extra, ...ofDeprecated]
  return {
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { [mediaType]: body },
  }
}

/** Only headers that some response carries: deprecation headers are usually unused. */
function headersIn(parts: JsonObject): JsonObject {
  const text = JSON.stringify(parts)
  const used = Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`))
  return Object.fromEntries(used)
}

/** Moves every schema with a title to `components` and puts a reference in its place. */
export function referrer(schemas: JsonObject): Refer {
  const refer: Refer = (schema) => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const entries = Object.entries({ ...schema, ...documentedOnly(schema) })
    const whole = Object.fromEntries(
      entries
        .filter(([key, value]) => key !== DOCUMENTED && value !== undefined)
        .map(([key, value]) => [key, refer(value)]),
    )
    // The conditions of `if` and `not` have properties, too, and no type.
    if ([whole.type].flat().includes('object')) describeProperties(whole)
    // A `title` that is not a string is a property with that name.
    if (typeof whole.title !== 'string') return whole
    const { title, ...inner } = whole as JsonObject & { title: string }
    schemas[title] ??= inner
    return { $ref: `#/components/schemas/${title}` }
  }
  return refer
}

function describeProperties({ title, properties = {} }: JsonObject): void {
  for (const [name, property] of Object.entries(properties as Record<string, JsonObject>)) {
    if (!('description' in property) && !('$ref' in property)) {
      property.description = descriptionOf(name, String(title))
    }
  }
}

function documentedOnly(schema: object): object | undefined {
  return DOCUMENTED in schema ? (schema[DOCUMENTED] as object) : undefined
}

export function sorted(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}
