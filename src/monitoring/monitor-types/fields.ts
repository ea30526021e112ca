/**
 * A setting of monitors. Plain JSON Schema, because the probe threads load the definitions of the types: TypeBox would cost each
 * thread 3 MB.
 */
export interface Field<T> {
  readonly schema: object
  readonly default: T
  /** Keywords that only the OpenAPI document has. */
  readonly documented?: object
}

interface Bounds {
  readonly minimum: number
  readonly maximum: number
}

/** Null by default. */
export function text(maxLength: number, description: string): Field<string | null> {
  return { schema: { type: ['string', 'null'], maxLength, description }, default: null }
}

export function integer(bounds: Bounds, value: number, description?: string): Field<number> {
  return { schema: { type: 'integer', ...bounds, ...(description && { description }) }, default: value }
}

/** Null by default. */
export function optionalInteger(bounds: Bounds, description?: string): Field<number | null> {
  return { schema: { type: ['integer', 'null'], ...bounds, ...(description && { description }) }, default: null }
}

export function flag(value: boolean, description: string): Field<boolean> {
  return { schema: { type: 'boolean', description }, default: value }
}

/** The first value is the default. */
export function choice<const T extends string>(values: readonly [T, ...T[]], description?: string): Field<T> {
  return { schema: { type: 'string', enum: values, ...(description && { description }) }, default: values[0] }
}
