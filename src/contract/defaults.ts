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
  const hasDefaults = members.some(([, schema]) => schema.default !== undefined)
  const fillers = members.flatMap(([name, schema]) => {
    const fill = fillerOf(schema) ?? (typeof schema.default === 'object' ? copyOf : undefined)
    return fill === undefined ? [] : [{ name, fill }]
  })
  if (!hasDefaults && fillers.length === 0) return undefined
  const templateFor = templatesOf(members, required)
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const filled: Record<string, unknown> = { ...templateFor(Object.keys(value)), ...value }
    for (const { name, fill } of fillers) if (filled[name] !== undefined) filled[name] = fill(filled[name])
    return filled
  }
}

/** A default list is copied, so that nobody changes the one of the schema. */
function copyOf(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value
}

/** Clients send few different sets of members. */
const MAX_TEMPLATES = 100

/**
 * Returns a function that returns an object with the defaults, and with null in the place of other members, in the order of the
 * result: required members, given ones, defaults. It is parsed from JSON, because V8 makes a hash table of an object to which more
 * than 12 computed names are added. Everything that reads such a body takes several times as long; creating a monitor took 40 %
 * longer.
 */
function templatesOf(members: readonly (readonly [string, SchemaNode])[], required: readonly string[]) {
  const templates = new Map<string, object>()
  const defaults = members.filter(([, schema]) => schema.default !== undefined)
  const names = members.map(([name]) => name)
  return (given: readonly string[]): object => {
    const key = given.join(' ')
    const known = templates.get(key)
    if (known !== undefined) return known
    const order = [...names.filter((name) => required.includes(name)), ...given]
    const values = new Map<string, unknown>(order.map((name) => [name, null]))
    for (const [name, schema] of defaults) values.set(name, schema.default)
    const template: object = JSON.parse(JSON.stringify(Object.fromEntries(values)))
    if (templates.size >= MAX_TEMPLATES) templates.clear()
    templates.set(key, template)
    return template
  }
}
