import { isTime } from '../../contract/patterns.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { fieldsOf, requiredFields } from '../api/schema.ts'

const describing: readonly (keyof JsonSchema)[] = ['type', 'enum', 'const', 'description', 'default']
const bounding: readonly (keyof JsonSchema)[] = ['minimum', 'maximum', 'minItems', 'maxItems']
const inputKeywords: ReadonlySet<string> = new Set([...describing, ...bounding])

/** How many objects inside each other describe their fields. */
const MAX_DEPTH = 2

/**
 * An argument of a tool. Patterns, lengths and rules between fields are left out: they would take half of the space, and the API
 * says what is wrong with a value. The deepest objects only name their fields.
 */
export function shortInput(schema: JsonSchema, depth = MAX_DEPTH): JsonSchema {
  const { items, additionalProperties, description } = schema
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => inputKeywords.has(keyword)))
  const properties = propertiesOf(schema, depth, shortInput)
  const required = properties === undefined ? [] : requiredFields(schema)
  const names = properties === undefined ? Object.keys(fieldsOf(schema)).join(', ') : ''
  return {
    ...rest,
    ...(isTime(schema) && { format: 'date-time' }),
    ...(names !== '' && { description: `${description === undefined ? '' : `${description}. `}Fields: ${names}` }),
    ...(properties !== undefined && { properties }),
    ...(required.length > 0 && { required }),
    ...(items !== undefined && { items: shortInput(items, depth) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: shortInput(additionalProperties, depth) }),
  }
}

/**
 * The answer of a tool: the names and types of its fields. Nothing is required, because fields without a value are left out, and no value
 * is bounded, because a newer server may have others.
 */
export function shortOutput(schema: JsonSchema, depth = MAX_DEPTH): JsonSchema {
  const { items } = schema
  const properties = propertiesOf(schema, depth, shortOutput)
  const type = withoutNull(schema.type ?? (properties === undefined ? undefined : 'object'))
  return {
    ...(type !== undefined && { type }),
    ...(properties !== undefined && { properties }),
    ...(items !== undefined && { items: shortOutput(items, depth) }),
  }
}

function propertiesOf(schema: JsonSchema, depth: number, shorten: typeof shortInput): JsonSchema['properties'] {
  const fields = Object.entries(fieldsOf(schema))
  if (fields.length === 0 || depth === 0) return undefined
  return Object.fromEntries(fields.map(([name, field]) => [name, shorten(field, depth - 1)]))
}

function withoutNull(type: JsonSchema['type']): JsonSchema['type'] {
  if (!Array.isArray(type)) return type
  const names = type.filter((name) => name !== 'null')
  return names.length === 1 ? names[0] : names
}
