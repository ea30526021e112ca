import Type, { type TSchema, type TString, type TStringOptions, type TUnsafe } from 'typebox'
import { patterns } from './patterns.ts'

/**
 * Nullable and enumerated types are a single JSON Schema type instead of a union, so that one fault in the input gives one
 * error and not one per branch.
 */
export function nullable<T extends TSchema>(schema: T, extra: object = {}): TUnsafe<Type.Static<T> | null> {
  const { type } = schema as unknown as { type: string }
  const values = 'enum' in schema ? { enum: [...(schema.enum as readonly string[]), null] } : {}
  return Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [type, 'null'], ...values, ...extra })
}

/** A name, or another text of one line in a request. Control characters could deceive people who read it, in a terminal for example. */
export function singleLine(bounds: TStringOptions): TString {
  return Type.String({ ...bounds, pattern: patterns.singleLine })
}

export function oneOf<const T extends string>(values: readonly T[], extra: object = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...extra })
}

/** What the OpenAPI document says of a schema instead of what validates; see `documented`. */
export const DOCUMENTED = 'x-documented'

/**
 * Adds keywords that only the OpenAPI document has: rules that the server enforces in code, because a schema would report them less
 * clearly (patterns) or compare too much (`uniqueItems`). Keywords that are undefined are left out of the document.
 */
export function documented<S extends TSchema>(schema: S, keywords: object): S {
  return Type.With(schema, { [DOCUMENTED]: keywords }) as unknown as S
}

/** A condition of JSON Schema: the object has these fields. */
export function having(...required: readonly string[]) {
  return { required, properties: Object.fromEntries(required.map((name) => [name, {}])) }
}

/** Combinations of fields that the server refuses. */
export function forbidding<S extends TSchema>(schema: S, ...combinations: readonly object[]): S {
  return documented(schema, { not: combinations.length === 1 ? combinations[0] : { anyOf: combinations } })
}

/** Optional in requests, where the default is used; always present in responses. */
export function defaulted<S extends TSchema>(schema: S, value: Type.Static<S>): S {
  // Spreading would lose TypeBox's hidden kind, and with it nested defaults.
  return Type.Optional(Type.With(schema, { default: value })) as unknown as S
}

/** A response: all fields present; later versions may add fields. */
export function resource<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { title: name })
}

/** A request body: unknown fields are refused. */
export function body<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { title: name, additionalProperties: false })
}

export const Timestamp = Type.Unsafe<string>({
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds',
})

export const TimestampInput = Type.Unsafe<string>({
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 with Z or an offset; seconds are optional',
  // `date-time` of JSON Schema requires seconds.
  [DOCUMENTED]: { format: undefined, pattern: patterns.timestamp, examples: ['2026-03-07T02:00:00Z'] },
})

/** The body of `pause`, `resume` and `check`. */
export const Empty = body('Empty', {})

export const Deleted = resource('Deleted', {
  data: Type.Object({ id: Type.String({ minLength: 1 }) }),
})

export const Pagination = resource('Pagination', {
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ description: 'Number of items on all pages' }),
})

export const pageQuery = {
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 100, description: 'Items per page' }), 25),
  offset: defaulted(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Items to skip' }), 0),
}

export function page<T extends TSchema>(name: string, item: T) {
  return resource(name, { data: Type.Array(item), pagination: Pagination })
}
