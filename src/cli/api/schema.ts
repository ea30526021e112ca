/** The parts of a JSON Schema that options and output are derived from. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** The fields of an object, those of its variants included. */
export function fieldsOf(schema: Schema | undefined): Record<string, Schema> {
  if (schema === undefined) return {}
  const variants = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return Object.assign({}, ...variants.map(fieldsOf), schema.properties)
}

/** The type of the value when it is not null. */
export function typeOf({ type, properties }: Schema): string {
  const named = typeof type === 'string' ? type : type?.find((name) => name !== 'null')
  return named ?? (properties === undefined ? 'string' : 'object')
}

export function isNullable({ type, enum: values }: Schema): boolean {
  return (Array.isArray(type) && type.includes('null')) || values?.includes(null) === true
}

/** An object with names of the user's choice, such as headers. */
export function isRecord(schema: Schema): boolean {
  const { properties, additionalProperties, patternProperties } = schema
  if (typeOf(schema) !== 'object' || properties !== undefined) return false
  return typeof additionalProperties === 'object' || patternProperties !== undefined
}

/** `intervalSeconds` as `interval-seconds`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `NOT_EXISTS` as `not-exists`; values that are not upper case stay. */
export function typedValue(value: unknown): string {
  const text = String(value)
  return /^[A-Z][A-Z0-9_]*$/.test(text) ? text.toLowerCase().replaceAll('_', '-') : text
}
