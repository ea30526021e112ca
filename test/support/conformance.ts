import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Compile, type Validator } from 'typebox/schema'
import type { Operation } from '../../src/contract/operation.ts'
import { openApiDocument } from '../../src/server/operations/openapi/document.ts'
import { errorStatus } from './contract.ts'
import type { Answer } from './server.ts'

export interface Asked {
  readonly method: string
  /** Below /api/v1, with its query. */
  readonly path: string
}

interface Described {
  readonly parameters?: readonly unknown[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } }
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: object }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

const UTC_WITH_MILLISECONDS = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'

/** An OpenAPI document, ready to check answers. */
export class Contract {
  readonly document: Document
  /** By the schema's text: most responses use the same few schemas. */
  readonly #validators = new Map<string, Validator>()
  readonly #paths: readonly { readonly pattern: RegExp; readonly operations: Readonly<Record<string, Described>> }[]

  constructor(document: Document) {
    this.document = document
    // `/monitors/try` comes before `/monitors/{monitorId}`.
    const templates = Object.entries(document.paths).toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
    this.#paths = templates.map(([template, operations]) => {
      return { pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`), operations }
    })
  }

  /** The document of other operations than those of the committed one. */
  static of(operations: readonly Operation[]): Contract {
    return new Contract(JSON.parse(JSON.stringify(openApiDocument(operations, 'https://pharos.example'))))
  }

  /** The operation of a request below `prefix`; undefined if the document has none. */
  operationFor({ method, path }: Asked, prefix = '/api/v1'): Described | undefined {
    const called = `${prefix}${path.split('?', 1)[0]}`
    const named = method === 'HEAD' ? 'get' : method.toLowerCase()
    // A path without parameters comes before one that matches it.
    const exact = this.document.paths[called] as Readonly<Record<string, Described>> | undefined
    return exact?.[named] ?? this.#paths.find(({ pattern }) => pattern.test(called))?.operations[named]
  }

  /** Asserts that the document describes a response of this status and type, and that its schema accepts the body. */
  expectBody({ responses }: Described, { status, headers, body }: Answer, what: string, describedAs = status): void {
    const described = this.response(responses[describedAs])
    assert.ok(described, `${what}: the document does not tell of this status`)
    const type = headers.get('content-type') ?? ''
    const content = described.content[type] ?? described.content[type.split(';', 1)[0] ?? '']
    assert.ok(content, `${what}: the document does not tell of Content-Type ${type}`)
    if (body === undefined) return
    const validator = this.validator(content.schema, true)
    const [isValid, errors] = validator.Check(body) ? [true, []] : validator.Errors(body)
    assert.deepEqual([isValid, errors], [true, []], `${what}: the body against the document's schema`)
  }

  /** A response, or the shared one that a reference names. */
  response(response: Described['responses'][string] | undefined): Response | undefined {
    if (response === undefined || !('$ref' in response)) return response
    return this.document.components.responses[response.$ref.replace('#/components/responses/', '')]
  }

  /** Clients may ignore fields that they do not know. If the schema is closed, a field that it lacks is a fault. */
  validator(schema: object, isClosed = false): Validator {
    const text = `${isClosed} ${JSON.stringify(schema)}`
    const known = this.#validators.get(text)
    if (known !== undefined) return known
    const created = Compile(this.#resolved(schema, isClosed) as object)
    this.#validators.set(text, created)
    return created
  }

  #resolved(schema: unknown, isClosed: boolean): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.#resolved(part, isClosed))
    if (typeof schema !== 'object' || schema === null) return schema
    if ('$ref' in schema) {
      const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1] ?? ''
      const target = this.document.components.schemas[name]
      assert.ok(target, `the document has the schema that ${String(schema.$ref)} refers to`)
      return this.#resolved(target, isClosed)
    }
    const parts = Object.entries(schema).map(([key, value]) => [key, this.#resolved(value, isClosed)])
    const resolved = Object.fromEntries(parts)
    if (!isClosed) return resolved
    // A part of a `oneOf` names only some of the fields.
    if ('properties' in schema && 'type' in schema) return { additionalProperties: false, ...resolved }
    if ('format' in schema && schema.format === 'date-time') return { ...resolved, pattern: UTC_WITH_MILLISECONDS }
    return resolved
  }
}

/** The committed document. A server of the tests serves the same one (open-document.test.ts). */
export const publicContract = new Contract(
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')),
)

/** Checks a response against what the contract says about every response. */
export function expectConforms(answer: Answer, asked: Asked, contract: Contract): void {
  const what = `${asked.method} ${asked.path.slice(0, 100)} → ${answer.status}`
  expectEveryHeader(answer, what)
  if (answer.status >= 400) expectFailure(answer, asked, what)
  else expectSuccess(answer, asked, what)
  expectDescribed(answer, asked, contract, what)
}

/** The request id and the five rate-limit headers are well-formed and agree. */
function expectEveryHeader({ status, headers, body }: Answer, what: string): void {
  assert.match(headers.get('x-request-id') ?? '', /^\S+$/, `${what}: X-Request-Id`)
  const numbers = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => {
    assert.match(headers.get(name) ?? '', /^(0|[1-9]\d*)$/, `${what}: ${name}`)
    return Number(headers.get(name))
  })
  const [limit = 0, remaining = 0, reset = 0] = numbers
  assert.equal(headers.get('ratelimit'), `public-api;r=${remaining};t=${reset}`, `${what}: RateLimit`)
  assert.equal(headers.get('ratelimit-policy'), `public-api;q=${limit};w=60`, `${what}: RateLimit-Policy`)
  assert.ok(remaining <= limit, `${what}: no more is left than the limit`)
  assert.ok(reset <= 60, `${what}: a window lasts 60 s at most`)
  const inProgress = body?.error?.code === 'idempotency_in_progress' ? '1' : null
  // A limit of the organization, such as that of bulk operations, has its own wait.
  const isOfKey = status === 429 && (body?.error?.message?.startsWith('Too many requests;') ?? true)
  if (status === 429 && !isOfKey) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d?$/, `${what}: Retry-After`)
  else assert.equal(headers.get('retry-after'), isOfKey ? `${reset}` : inProgress, `${what}: Retry-After`)
  assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null, `${what}: WWW-Authenticate`)
  assert.equal(headers.has('allow'), status === 405, `${what}: Allow`)
  assert.equal(headers.get('access-control-allow-origin'), null, `${what}: no CORS`)
}

function expectFailure({ status, headers, body }: Answer, { method }: Asked, what: string): void {
  assert.equal(headers.get('idempotency-replayed'), null, `${what}: only a success is replayed`)
  assert.match(headers.get('content-type') ?? '', /^application\/json\b/, `${what}: Content-Type`)
  if (method === 'HEAD') {
    assert.equal(body, undefined, `${what}: HEAD has no body`)
    return
  }
  assert.deepEqual(Object.keys(body), ['error'], `${what}: the envelope`)
  const { code, message, requestId, details, ...rest } = body.error
  assert.deepEqual(rest, {}, `${what}: nothing else in the envelope`)
  assert.equal(errorStatus[code], status, `${what}: ${code} belongs to another status`)
  assert.ok(typeof message === 'string' && message !== '', `${what}: message`)
  assert.equal(requestId, headers.get('x-request-id'), `${what}: requestId equals X-Request-Id`)
  if (code !== 'validation_error') {
    assert.equal(details, undefined, `${what}: details only on validation failures`)
    return
  }
  assert.ok(Array.isArray(details) && details.length > 0, `${what}: details`)
  for (const fault of details) {
    assert.deepEqual(Object.keys(fault).sort(), ['message', 'path'], `${what}: a fault`)
    assert.ok(typeof fault.path === 'string' && fault.path !== '', `${what}: path of a fault`)
    assert.ok(typeof fault.message === 'string' && fault.message !== '', `${what}: message of a fault`)
  }
}

function expectSuccess({ headers, body }: Answer, { method }: Asked, what: string): void {
  const replayed = headers.get('idempotency-replayed')
  const isRead = method === 'GET' || method === 'HEAD'
  assert.ok(replayed === null || (replayed === 'true' && !isRead), `${what}: Idempotency-Replayed`)
  if (method === 'HEAD') assert.equal(body, undefined, `${what}: HEAD has no body`)
}

/** The document has this status, and its schema accepts this body. */
function expectDescribed(answer: Answer, asked: Asked, contract: Contract, what: string): void {
  const operation = contract.operationFor(asked)
  if (operation === undefined) {
    assert.ok([400, 401, 404, 405, 429].includes(answer.status), `${what}: there is no such operation`)
    return
  }
  contract.expectBody(operation, answer, what)
}
