import type { TSchema } from 'typebox'

type Fill = (value: unknown) => unknown

interface SchemaNode {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
}

/**
 * Returns a function that adds the defaults of a schema to a valid value; undefined if the schema has none. Defaults belong
 * to members of objects, at any depth of objects and arrays.
 */
export function defaultsOf(schema: TSchema): Fill | undefined {
  return fillerOf(schema as SchemaNode)
}

function fillerOf({ properties, required = [], items }: SchemaNode): Fill | undefined {
  if (properties !== undefined) return objectFiller(properties, required)
  const fill = items && fillerOf(items)
  return fill && ((value) => (Array.isArray(value) ? value.map(fill) : value))
}

function objectFiller(properties: Readonly<Record<string, SchemaNode>>, required: readonly string[]): Fill | undefined {
  const members = Object.entries(properties)
  const defaults = members.filter(([, schema]) => schema.default !== undefined)
  const fillers = members.flatMap(([name, schema]) => {
    const fill = fillerOf(schema) ?? (typeof schema.default === 'object' ? copyOf : undefined)
    return fill === undefined ? [] : [{ name, fill }]
  })
  if (defaults.length === 0 && fillers.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const filled: Record<string, unknown> = {}
    // Required members first, then those that were given, then defaults.
    for (const name of required) filled[name] = (value as Record<string, unknown>)[name]
    Object.assign(filled, value)
    for (const [name, schema] of defaults) if (filled[name] === undefined) filled[name] = schema.default
    for (const { name, fill } of fillers) if (filled[name] !== undefined) filled[name] = fill(filled[name])
    return filled
  }
}

/** A default list is copied, so that nobody changes the one of the schema. */
function copyOf(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value
}
