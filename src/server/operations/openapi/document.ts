import { readFileSync } from 'node:fs'
import { type ErrorCode, errorCodes } from '../../../contract/errors.ts'
import { sizeText } from '../../../contract/json-body.ts'
import { DEFAULT_BODY_BYTES, type Operation } from '../../../contract/operation.ts'
import { writeYaml } from '../../../lib/write-yaml.ts'
import type { OperationExample } from '../examples/operation-example.ts'
import { idExamples, operationExamples } from '../examples/operations.ts'
import { errorSchema, everyAnswer, type HeaderName, headers, parameters, securitySchemes, tags } from './components.ts'
import { description } from './description.ts'
import { errorExampleRefs, errorExamples } from './error-examples.ts'
import { descriptionOf } from './property-descriptions.ts'
import { type JsonObject, type Refer, referrer, referToResponse, shareParameters, sorted } from './references.ts'
import { WEBHOOK_TAG, webhookSection } from './webhooks.ts'

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
  const paths = pathsOf(API_PATH, operations, (operation) =>
    describe(operation, methodsAt(operations, operation.path), refer, responses, calls[operation.id]),
  )
  const webhooks = webhookSection(refer)
  const allParameters = { ...shareParameters(paths), ...parameters }
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
      parameters: allParameters,
      securitySchemes,
      examples: errorExamples,
    },
  }
}

/** The operations by path and method. */
export function pathsOf<T extends Operation>(
  prefix: string,
  operations: readonly T[],
  describe: (operation: T) => JsonObject,
): Record<string, JsonObject> {
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const path = prefix + operation.path.replace(/:([^/]+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  return paths
}

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
  const { id, tag, summary, description, deprecated, extension, notifies, readOnlyKeys } = operation
  const example = operationExamples[id]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    deprecated: deprecated && true,
    'x-extension': extension,
    'x-notifies': notifies,
    'x-read-only-keys': readOnlyKeys,
    'x-cli': calls?.cli,
    'x-client': calls?.client,
    parameters: [
      ...declared(operation.params, 'path', refer, idExamples),
      ...declared(operation.query, 'query', refer, example?.query),
      ...(operation.access === 'write' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    requestBody: operation.body && requestBody(operation, refer, example),
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
    const { description = descriptionOf(name), ...schema } = refer(property) as JsonObject
    return { name, in: place, required: place === 'path', description, schema, example: examples?.[name] }
  })
}

export function requestBody(
  { body, bodyRequired = true, bodyLimitBytes = DEFAULT_BODY_BYTES, isUpload }: Operation,
  refer: Refer,
  { body: example, bodies }: Partial<OperationExample> = {},
): JsonObject {
  const named = bodies && Object.entries(bodies).map(([name, value]) => [name, { summary: name, value }])
  const examples = named && Object.fromEntries(named)
  const json = { schema: refer(body), example, examples }
  return {
    description: `At most ${sizeText(bodyLimitBytes)}`,
    required: bodyRequired,
    content: isUpload ? { 'application/octet-stream': { examples } } : { 'application/json': json },
  }
}

function success(operation: Operation, refer: Refer, example?: OperationExample): JsonObject {
  const { status, schema, description, mediaType, alsoYaml, headers: own = {} } = operation.answer
  const extra: HeaderName[] = operation.access === 'write' ? ['Idempotency-Replayed'] : []
  const described = Object.entries(own).map(([name, header]) => [
    name,
    { description: header.description, schema: { type: 'string', examples: [header.example] } },
  ])
  return {
    [status]: {
      description,
      headers: { ...headerRefs(headersOf(operation, extra)), ...Object.fromEntries(described) },
      content: {
        [mediaType ?? 'application/json']: { schema: refer(schema), example: example?.answer },
        'application/yaml': alsoYaml && { schema: { type: 'string' }, example: writeYaml(example?.answer) },
      },
    },
  }
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
  const extra: Partial<Record<number, HeaderName[]>> = {
    401: ['WWW-Authenticate'],
    405: ['Allow'],
    ...(codes.has('idempotency_in_progress') && { 409: ['Retry-After'] }),
    429: ['Retry-After'],
  }
  return byStatus(codes, (status, group) => {
    const allowed = status === 405 ? ` Allowed here: ${methods.join(', ')}.` : ''
    const response = {
      description: group.map((code) => `\`${code}\`: ${errorCodes[code].meaning}.`).join(' ') + allowed,
      headers: headerRefs(headersOf(operation, extra[status] ?? [])),
      content: { 'application/json': { schema: errorRef, examples: errorExampleRefs(group) } },
    }
    // The responses of a deprecated operation have headers of their own.
    if (operation.deprecated !== undefined) return response
    return referToResponse(shared, group, response, status === 405 ? methods : [])
  })
}

export const errorRef = { $ref: '#/components/schemas/Error' } as const

/** One response per status, with the codes that it stands for. */
export function byStatus(
  codes: ReadonlySet<ErrorCode>,
  describe: (status: number, codes: readonly ErrorCode[]) => JsonObject,
): JsonObject {
  const known = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code))
  const groups = Map.groupBy(known, (code) => errorCodes[code].status)
  return Object.fromEntries([...groups].map(([status, group]) => [status, describe(status, group)]))
}

function headersOf({ deprecated }: Operation, extra: readonly HeaderName[]): HeaderName[] {
  return [...everyAnswer, ...extra, ...(deprecated === undefined ? [] : (['Deprecation', 'Sunset', 'Link'] as const))]
}

export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Only headers that some response carries: deprecation headers are usually unused. */
function headersIn(parts: JsonObject): JsonObject {
  const text = JSON.stringify(parts)
  const used = Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`))
  return Object.fromEntries(used)
}
