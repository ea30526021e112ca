import Type, { type TSchema, type TUnsafe } from 'typebox'

/**
 * Schemas are written so that one fault in the input is one error of the validator: nullable and enumerated types are a
 * single JSON Schema type, never a union whose branches would each complain.
 */
export function nullable<T extends TSchema>(schema: T, extra: object = {}): TUnsafe<Type.Static<T> | null> {
  const { type } = schema as unknown as { type: string }
  const values = 'enum' in schema ? { enum: [...(schema.enum as readonly string[]), null] } : {}
  return Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [type, 'null'], ...values, ...extra })
}

export function oneOf<const T extends string>(values: readonly T[], extra: object = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...extra })
}

/** Optional for those who write, always there for those who read: the default stands in. */
export function defaulted<S extends TSchema>(schema: S, value: Type.Static<S>): S {
  // A copy by hand would lose what kind of schema it is, and with it the defaults of what is inside.
  return Type.Optional(Type.With(schema, { default: value })) as unknown as S
}

/** A resource as it leaves: every field present, fields of later versions possible. */
export function resource<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { title: name })
}

/** A body as it arrives: nothing unknown in it. */
export function body<P extends Record<string, TSchema>>(name: string, properties: P) {
  return Type.Object(properties, { title: name, additionalProperties: false })
}

export const Timestamp = Type.Unsafe<string>({
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds',
})

/** A moment as it may be sent: `Z` or an offset, seconds optional. */
export const TimestampInput = Type.Unsafe<string>({
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 with Z or an offset; seconds may be left out',
})

/** The empty object that `pause`, `resume` and `check` want as their body. */
export const Empty = body('Empty', {})

export const Deleted = resource('Deleted', {
  data: Type.Object({ id: Type.String({ minLength: 1 }) }),
})

export const Pagination = resource('Pagination', {
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer({ description: 'The unpaged count' }),
})

export const pageQuery = {
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 100, description: 'Items per page' }), 25),
  offset: defaulted(Type.Integer({ minimum: 0, maximum: 100_000, description: 'Items to skip' }), 0),
}

export function page<T extends TSchema>(name: string, item: T) {
  return resource(name, { data: Type.Array(item), pagination: Pagination })
}
