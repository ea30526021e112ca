import { isObject } from '../lib/json.ts'

type Schema = Readonly<Record<string, unknown>>

/** The definition that a schema needs whose strings may have variables. */
export const variableDefinition = {
  variable: {
    type: 'string',
    pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
    description: `A text with the value of an environment variable: \${NAME}`,
  },
}

const VARIABLE = { $ref: '#/$defs/variable' }

/** Keywords that constrain values of one type only. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
    ...['minProperties', 'maxProperties'],
  ],
}

/** What is said of a schema as a whole, whatever the alternatives in it. */
const annotations = ['title', 'description', 'default', 'examples', 'deprecated']

const mapKeywords = ['properties', 'patternProperties', '$defs']
const listKeywords = ['anyOf', 'oneOf', 'allOf']
const schemaKeywords = ['items', 'contains', 'additionalProperties', 'then', 'else']
/** Both outcomes of a condition matter, and names are no values. */
const exactKeywords = ['if', 'propertyNames']

/** What a schema is for: values that are allowed, that are forbidden, or neither. Variables are added to allowed values. */
type Purpose = 'allowed' | 'forbidden' | 'exact'

const opposite: Readonly<Record<Purpose, Purpose>> = { allowed: 'forbidden', forbidden: 'allowed', exact: 'exact' }

/**
 * The schema for editors, which see files before their variables have values: each string may contain `${NAME}`. Every part names its
 * type and its required properties, as strict validators demand.
 */
export function forEditors(schema: Schema): Schema {
  return converted(schema, 'allowed') as Schema
}

/** `fixed`: the property that tells this variant from others. With variables, a value would fit several variants. */
function converted(schema: unknown, purpose: Purpose, fixed?: string): unknown {
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).map(([name, value]) => {
    if (name === 'not') return [name, converted(value, opposite[purpose])]
    if (exactKeywords.includes(name)) return [name, converted(value, 'exact')]
    if (schemaKeywords.includes(name)) return [name, converted(value, purpose)]
    if (listKeywords.includes(name)) return [name, convertedList(value as Schema[], name, purpose)]
    if (!mapKeywords.includes(name) || !isObject(value)) return [name, value]
    const members = Object.entries(value).map(([key, one]) => [key, converted(one, key === fixed ? 'exact' : purpose)])
    return [name, Object.fromEntries(members)]
  })
  const explicit = separated(withRequired(typed(Object.fromEntries(entries))))
  return purpose === 'allowed' ? withVariable(explicit) : explicit
}

function convertedList(schemas: readonly Schema[], name: string, purpose: Purpose): readonly unknown[] {
  const fixed = name === 'oneOf' && purpose === 'allowed' ? discriminatorOf(schemas) : undefined
  const list = schemas.map((one) => converted(one, purpose, fixed))
  if (fixed === undefined) return list
  return [...list, { type: 'object', required: [fixed], properties: { [fixed]: VARIABLE } }]
}

function typed(schema: Schema): Schema {
  if (schema.type !== undefined) return schema
  const found = Object.keys(keywords).filter((type) => keywords[type]?.some((name) => name in schema))
  return found.length === 1 ? { type: found[0], ...schema } : schema
}

function withRequired(schema: Schema): Schema {
  const { required, properties = {} } = schema
  if (!Array.isArray(required)) return schema
  const missing = required.filter((name) => !Object.hasOwn(properties as object, name))
  if (missing.length === 0) return schema
  return {
    ...schema,
    properties: { ...(properties as object), ...Object.fromEntries(missing.map((name) => [name, true])) },
  }
}

/** One alternative for each type. Null beside another type is usual. */
function separated(schema: Schema): Schema {
  const { type, ...others } = schema
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return schema
  const own = Object.keys(others).filter((name) => Object.values(keywords).flat().includes(name))
  const alternatives = type.map((one: string) => {
    const names = keywords[one === 'integer' ? 'number' : one] ?? []
    return {
      type: one,
      ...pick(
        others,
        own.filter((name) => names.includes(name)),
      ),
    }
  })
  return {
    ...pick(
      others,
      Object.keys(others).filter((name) => !own.includes(name)),
    ),
    anyOf: alternatives,
  }
}

function withVariable(schema: Schema): Schema {
  if (!isConstrainedText(schema)) return schema
  const said = annotations.filter((one) => one in schema)
  const rules = Object.keys(schema).filter((one) => !annotations.includes(one))
  return { ...pick(schema, said), anyOf: [pick(schema, rules), VARIABLE] }
}

/** The property whose constant tells the variants apart. */
export function discriminatorOf(variants: readonly Schema[]): string | undefined {
  const constants = variants.map(({ properties = {} }) => {
    const entries = Object.entries(properties as Readonly<Record<string, Schema>>)
    return entries.flatMap(([name, one]) => (isObject(one) && isConstant(one) ? name : []))
  })
  return constants[0]?.find((name) => constants.every((names) => names.includes(name)))
}

function isConstant(schema: Schema): boolean {
  return 'const' in schema || (Array.isArray(schema.enum) && schema.enum.length === 1)
}

function isConstrainedText(schema: Schema): boolean {
  if ('const' in schema) return typeof schema.const === 'string'
  if (Array.isArray(schema.enum)) return schema.enum.some((value) => typeof value === 'string')
  const isText = schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))
  return isText && (keywords.string ?? []).some((name) => name in schema)
}

function pick(schema: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, schema[name]]))
}
