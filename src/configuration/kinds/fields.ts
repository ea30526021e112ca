import type { TSchema } from 'typebox'
import { type Fault, joinPath } from '../../contract/errors.ts'
import type { Installation, Operation } from '../../contract/operation.ts'
import { DOCUMENTED } from '../../contract/schema.ts'
import { type ValidationResult, validator } from '../../contract/validate.ts'
import { canonicalJson, isObject } from '../../lib/json.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Validates the body of a creation. A fault of the body as a whole has an empty path. */
export function checkBody(
  { body, refine }: Operation,
  given: unknown,
  installation: Installation,
): ValidationResult<Fields> {
  return check(body as TSchema, given, refine && ((content) => refine(content, installation)))
}

export function check(
  schema: TSchema,
  given: unknown,
  refine?: (body: Fields) => readonly Fault[],
): ValidationResult<Fields> {
  return validator(schema, '', refine)(given) as ValidationResult<Fields>
}

export function faultsOf(result: ValidationResult<unknown>, at = ''): Fault[] {
  return 'faults' in result ? result.faults.map((fault) => faultAt(at, fault)) : []
}

export function faultAt(path: string, { path: inner, message }: Fault): Fault {
  return { path: inner === '' ? path : joinPath(path, inner), message }
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>
}

/** Without the members that have the default of the schema. */
export function withoutDefaults(fields: Fields, schema: unknown): Fields {
  const { properties } = schema as ObjectSchema
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      if (value === undefined) return false
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      return known?.default === undefined || canonicalJson(value) !== canonicalJson(known.default)
    }),
  )
}

export function pick(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries([...names].map((name) => [name, fields[name]]))
}

/** Names in bodies and in documents, in both directions: `monitorIds` and `monitors`. */
export type Renaming = ReadonlyMap<string, string>

export function renaming(...pairs: readonly (readonly [string, string])[]): Renaming {
  return new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]))
}

/** Exchanges the names of members at every level, so that what was named like in the other place is an unknown field. */
export function renamed(value: unknown, names: Renaming): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [names.get(name) ?? name, renamed(member, names)]),
  )
}

export function renamedFault({ path, message }: Fault, names: Renaming): Fault {
  const parts = path.split('.').map((name) => names.get(name) ?? name)
  return { path: parts.join('.'), message: message.replace(/\b[a-z]\w*Ids?\b/g, (word) => names.get(word) ?? word) }
}

export function renamedSchema(schema: JsonSchema, names: Renaming): JsonSchema {
  const visit = (value: unknown, key = ''): unknown => {
    if (key === 'required' && Array.isArray(value)) return value.map((name) => names.get(name) ?? name)
    if (Array.isArray(value)) return value.map((item) => visit(item))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [names.get(name) ?? name, visit(member, name)]),
    )
  }
  return visit(schema) as JsonSchema
}

/** A schema as people read it: with the rules that the server enforces in code, and without titles, which documents do not use. */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isObject(value)) return value
    const whole = { ...value, ...((value[DOCUMENTED] as object | undefined) ?? {}) }
    return Object.fromEntries(
      Object.entries(whole)
        .filter(([key, member]) => key !== DOCUMENTED && member !== undefined && !isTitle(key, member))
        .map(([key, member]) => [key, visit(member)]),
    )
  }
  return visit(schema) as JsonSchema
}

/** A `title` that is not a string is a property with that name. */
function isTitle(key: string, member: unknown): boolean {
  return (key === 'title' || key === 'discriminator') && (key !== 'title' || typeof member === 'string')
}

/** The schema of an object with further properties, in each variant. */
export function withProperties(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (schema.oneOf !== undefined) {
    return { ...schema, oneOf: schema.oneOf.map((variant) => withProperties(variant, properties)) }
  }
  return { ...schema, properties: { ...schema.properties, ...properties } }
}
