import type { Case } from './cases.ts'
import { type Described, faultsOf, type Schema, TEXT } from './schema.ts'

/** What the contract says must come of a request, as far as it can be told from the request alone. */
export type Expected =
  | { readonly status: number; readonly code?: string }
  /** A refusal that names at least these faults. */
  | { readonly faults: readonly string[] }
  /** Fit to be accepted; only what is stored can still speak against it. */
  | { readonly accepted: 'surely' | 'perhaps' }

/** Follows the order of judgement: credentials, access, idempotency key, then path, query and body together. */
export function expectationOf(made: Case, operation: Described): Expected {
  if (made.auth === 'none' || made.auth === 'unknown' || made.auth === 'both') {
    return { status: 401, code: 'unauthorized' }
  }
  const writes = operation.method !== 'GET'
  if (writes && made.auth === 'read-only') return { status: 403, code: 'forbidden' }
  const key = made.idempotencyKey?.replace(/^[ \t]+|[ \t]+$/g, '')
  if (writes && key !== undefined && !/^[A-Za-z0-9._:-]{1,200}$/.test(key)) {
    return { status: 400, code: 'invalid_idempotency_key' }
  }
  if (writes && isNoMediaType(made.contentType)) {
    return hasBody(made) ? { faults: ['content-type'] } : { accepted: 'perhaps' }
  }
  const faults = [
    ...pathFaults(made, operation),
    ...queryFaults(made, operation),
    ...(writes ? bodyFaults(made, operation) : []),
  ]
  if (faults.length > 0) return { faults }
  const unsure = made.intent === 'unsound' || isUnsureQuery(made, operation)
  return { accepted: unsure ? 'perhaps' : 'surely' }
}

function hasBody({ body }: Case): boolean {
  return body !== undefined && body !== ''
}

/** A header that is no media type at all is refused before the body is looked at, perhaps even without a body. */
function isNoMediaType(type: string | undefined): boolean {
  return type !== undefined && !/^\s*[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(;|$)/.test(type)
}

function pathFaults({ target }: Case, { parameters }: Described): string[] {
  if ('nth' in target) return []
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  return /%00/.test(target.id) || decoded(target.id)?.includes('\0') === true ? names : []
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Is the address one that no router can read? */
export function isUnroutable({ target }: Case): boolean {
  return 'id' in target && decoded(target.id) === undefined
}

function queryFaults({ query }: Case, { parameters }: Described): string[] {
  const faults = parameters.flatMap(({ name, in: place, schema }) => {
    // What cannot be decoded stands for itself.
    const values = query.filter(([key]) => key === name).map(([, value]) => decoded(value) ?? value)
    if (place !== 'query' || values.length === 0) return []
    const [text = ''] = values
    if (values.length > 1) return [name]
    const { type, format } = schema
    if (format === 'date-time') return isMoment(text) ? [] : [name]
    if (type === 'boolean') return text === 'true' || text === 'false' ? [] : [name]
    if (type === 'string') return faultsOf(schema, text, name).map((path) => (path === TEXT ? `${TEXT}${name}` : path))
    return /^-?\d{1,15}$/.test(text) ? faultsOf(schema, Number(text), name) : [name]
  })
  return told(faults)
}

/** Faults of the text itself are looked for in what keeps to its schema otherwise. */
function told(faults: readonly string[]): string[] {
  const ofSchema = faults.filter((path) => !path.startsWith(TEXT))
  return ofSchema.length > 0 ? ofSchema : faults.map((path) => path.slice(TEXT.length))
}

/** ISO 8601 with Z or an offset, seconds optional, and a moment that there is. */
function isMoment(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return false
  try {
    return Temporal.Instant.from(text) !== undefined
  } catch {
    return false
  }
}

/** 007 and -0 are integers to some and none to others. */
function isUnsureQuery({ query }: Case, { parameters }: Described): boolean {
  const numbers = parameters.filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'integer')
  const names = numbers.map(({ name }) => name)
  return query.some(([name, value]) => names.includes(name) && !/^(0|-?[1-9]\d*)$/.test(value))
}

function bodyFaults(made: Case, operation: Described): string[] {
  if (!hasBody(made)) return operation.bodyRequired ? ['body'] : []
  if (Buffer.byteLength(made.body as string) > 1024 * 1024) return ['body']
  if (!/^application\/json[ \t]*(;|$)/i.test(made.contentType ?? '')) return ['content-type']
  let value: unknown
  try {
    value = sentValue(made.body as string)
  } catch {
    return ['body']
  }
  const empty: Schema = { type: 'object', properties: {}, additionalProperties: false }
  return told(faultsOf(operation.body ?? empty, value, 'body'))
}

/** What a body says once it has been bytes: half a character is none, and a byte order mark is no part of the text. */
export function sentValue(body: string): unknown {
  return JSON.parse(
    Buffer.from(body)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  )
}
