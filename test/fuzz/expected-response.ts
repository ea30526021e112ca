import type { Case } from './request-cases.ts'
import { type DescribedOperation, faultsOf, type Schema, TEXT } from './schema.ts'

/** The response that the contract requires, as far as the request alone determines it. */
export type Expected =
  | { readonly status: number; readonly code?: string }
  /** Refused with at least these faults. */
  | { readonly faults: readonly string[] }
  /** Valid; only the stored data can lead to a refusal. */
  | { readonly accepted: 'surely' | 'perhaps' }

/** In the server's order: credentials, access, idempotency key, then path, query and body together. */
export function expectationOf(created: Case, operation: DescribedOperation): Expected {
  if (isUnroutable(created) && ['key', 'bearer', 'read-only'].includes(created.auth)) return { faults: ['path'] }
  if (created.auth === 'none' || created.auth === 'unknown' || created.auth === 'both') {
    return { status: 401, code: 'unauthorized' }
  }
  const writes = operation.method !== 'GET'
  if (writes && created.auth === 'read-only') return { status: 403, code: 'forbidden' }
  const key = created.idempotencyKey?.replace(/^[ \t]+|[ \t]+$/g, '')
  if (writes && key !== undefined && !/^[A-Za-z0-9._:-]{1,200}$/.test(key)) {
    return { status: 400, code: 'invalid_idempotency_key' }
  }
  if (writes && isNoMediaType(created.contentType)) {
    return hasBody(created) ? { faults: ['content-type'] } : { accepted: 'perhaps' }
  }
  if (writes && isBeyondBounds(created)) return { status: 400, code: 'validation_error' }
  const faults = [
    ...pathFaults(created, operation),
    ...queryFaults(created, operation),
    ...(writes ? bodyFaults(created, operation) : []),
  ]
  if (faults.length > 0) return { faults }
  const unsure = created.intent === 'unsound' || isUnsureQuery(created, operation)
  return { accepted: unsure ? 'perhaps' : 'surely' }
}

function hasBody({ body }: Case): boolean {
  return body !== undefined && body !== ''
}

/** A header that is no media type is refused before the body is read, even without a body. */
function isNoMediaType(type: string | undefined): boolean {
  return type !== undefined && !/^\s*[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(;|$)/.test(type)
}

function pathFaults({ madeUpId }: Case, { parameters }: DescribedOperation): string[] {
  if (madeUpId === undefined) return []
  // A made-up id is the last one in the path.
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  return /%00/.test(madeUpId) || decoded(madeUpId)?.includes('\0') === true ? names.slice(-1) : []
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether the router cannot decode the path. */
function isUnroutable({ madeUpId }: Case): boolean {
  return madeUpId !== undefined && decoded(madeUpId) === undefined
}

function queryFaults({ query }: Case, { parameters }: DescribedOperation): string[] {
  const faults = parameters.flatMap(({ name, in: place, schema }) => {
    // Kept as it is if it cannot be decoded.
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
  return reported(faults)
}

/** Text faults are reported only for values that match their schema otherwise. */
function reported(faults: readonly string[]): string[] {
  const ofSchema = faults.filter((path) => !path.startsWith(TEXT))
  return ofSchema.length > 0 ? ofSchema : faults.map((path) => path.slice(TEXT.length))
}

/** ISO 8601 with Z or an offset, seconds optional, and an existing date. */
function isMoment(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return false
  try {
    return Temporal.Instant.from(text) !== undefined
  } catch {
    return false
  }
}

/** Forms such as 007 and -0, which parsers treat differently. */
function isUnsureQuery({ query }: Case, { parameters }: DescribedOperation): boolean {
  const numbers = parameters.filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'integer')
  const names = numbers.map(({ name }) => name)
  return query.some(([name, value]) => names.includes(name) && !/^(0|-?[1-9]\d*)$/.test(value))
}

function bodyFaults(created: Case, operation: DescribedOperation): string[] {
  if (!hasBody(created)) return operation.bodyRequired ? ['body'] : []
  if (Buffer.byteLength(created.body as string) > operation.bodyLimitBytes) return ['body']
  if (!/^application\/json[ \t]*(;|$)/i.test(created.contentType ?? '')) return ['content-type']
  let value: unknown
  try {
    value = sentValue(created.body as string)
  } catch {
    return ['body']
  }
  const empty: Schema = { type: 'object', properties: {}, additionalProperties: false }
  return reported(faultsOf(operation.body ?? empty, value, 'body'))
}

/** Whether the body has more than 5,000 keys, 20,000 list items or 32 levels; then other faults of the body are not reported. */
function isBeyondBounds({ body = '' }: Case): boolean {
  let [keys, items] = [0, 0]
  const isTooDeep = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) return false
    const inner = Object.values(value)
    if (Array.isArray(value)) items += inner.length
    else keys += inner.length
    return depth > 32 || inner.some((each) => isTooDeep(each, depth + 1))
  }
  try {
    return isTooDeep(sentValue(body), 1) || keys > 5_000 || items > 20_000
  } catch {
    return false
  }
}

/** The value of a body after encoding: lone surrogates are replaced, and a byte order mark is dropped. */
export function sentValue(body: string): unknown {
  return JSON.parse(
    Buffer.from(body)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  )
}
