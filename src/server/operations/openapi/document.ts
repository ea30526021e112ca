import { readFileSync } from 'node:fs'
import { type ErrorCode, errorCodes } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { errorSchema, everyAnswer, type HeaderName, headers, parameters, securitySchemes, tags } from './components.ts'
import { WEBHOOK_TAG, webhookSection } from './webhooks.ts'

export type JsonObject = { [key: string]: unknown }

export const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const API_PATH = '/api/v1'

/** Generates the OpenAPI 3.1 document from the table of operations and the event catalogue. */
export function openApiDocument(operations: readonly Operation[], baseUrl: string): JsonObject {
  const schemas: JsonObject = {}
  const refer = referrer(schemas)
  refer(errorSchema)
  const paths: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const path = API_PATH + operation.path.replace(/:([^/]+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, refer) }
  }
  const webhooks = webhookSection(refer)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pharos API',
      version,
      summary: 'Uptime monitoring: monitors, incidents, status pages, maintenance windows and webhooks',
      description:
        'Every request uses the API key of one organization and sees only the resources of that organization.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    security: [{ ApiKeyHeader: [] }, { BearerKey: [] }],
    tags: [...new Set([...operations.map(({ tag }) => tag), WEBHOOK_TAG])].map((name) => ({
      name,
      description: tags[name],
    })),
    paths,
    webhooks,
    components: { schemas: sorted(schemas), headers: headersIn(paths), parameters, securitySchemes },
  }
}

export type Refer = (schema: unknown) => unknown

function describe(operation: Operation, refer: Refer): JsonObject {
  const { id, tag, summary, description, deprecated } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    parameters: [
      ...declared(operation.params, 'path', refer),
      ...declared(operation.query, 'query', refer),
      ...(operation.access === 'write' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, refer) }),
    responses: { ...success(operation, refer), ...failures(operation) },
  }
}

export function declared(schema: unknown, place: 'path' | 'query', refer: Refer): JsonObject[] {
  if (schema === undefined) return []
  const { properties } = schema as { properties: Record<string, JsonObject> }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = refer(property) as JsonObject
    const described = description === undefined ? {} : { description }
    return { name, in: place, required: place === 'path', ...described, schema: rest }
  })
}

export function requestBody({ body, bodyRequired = true }: Operation, refer: Refer): JsonObject {
  return { required: bodyRequired, content: { 'application/json': { schema: refer(body) } } }
}

function success(operation: Operation, refer: Refer): JsonObject {
  const { status, schema, description } = operation.answer
  const extra: HeaderName[] = operation.access === 'write' ? ['Idempotency-Replayed'] : []
  return { [status]: { description, ...content(operation, refer(schema), extra) } }
}

/** The errors of an operation by status: common ones, those of every change, and its own. */
function failures(operation: Operation): JsonObject {
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
    'rate_limited',
    'internal_error',
    ...(operation.access === 'write' ? ofChanges : []),
    ...(operation.errors ?? []),
  ])
  const byStatus = Map.groupBy(
    (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code)),
    (code) => errorCodes[code].status,
  )
  const extra: Partial<Record<number, HeaderName[]>> = { 401: ['WWW-Authenticate'], 429: ['Retry-After'] }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const description = group.map((code) => `\`${code}\`: ${errorCodes[code].meaning}.`).join(' ')
      const schema = { $ref: '#/components/schemas/Error' }
      return [status, { description, ...content(operation, schema, extra[status] ?? []) }]
    }),
  )
}

function content(operation: Operation, schema: unknown, extra: readonly HeaderName[]): JsonObject {
  const ofDeprecated: HeaderName[] = operation.deprecated === undefined ? [] : ['Deprecation', 'Sunset', 'Link']
  const names = [...everyAnswer, ...extra, ...ofDeprecated]
  return {
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { 'application/json': { schema } },
  }
}

/** Only headers that some response carries: deprecation headers are usually unused. */
function headersIn(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths)
  const used = Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`))
  return Object.fromEntries(used)
}

/** Moves every schema with a title to `components` and puts a reference in its place. */
export function referrer(schemas: JsonObject): Refer {
  const refer: Refer = (schema) => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const whole = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]))
    // A `title` that is not a string is a property with that name.
    if (typeof whole.title !== 'string') return whole
    const { title, ...inner } = whole as JsonObject & { title: string }
    schemas[title] ??= inner
    return { $ref: `#/components/schemas/${title}` }
  }
  return refer
}

export function sorted(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}
