import { isTime } from '../../contract/patterns.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import type { Resolve } from './model.ts'

/** One field as the reference shows it. */
export interface Field {
  readonly name: string
  readonly type: string
  /** `required`, `required for HTTP, DNS`, or undefined. */
  readonly required: string | undefined
  readonly description: string | undefined
  /** Bounds, such as `1 to 120 characters`. */
  readonly bounds: readonly string[]
  readonly values: readonly string[]
  readonly default: string | undefined
  readonly children: readonly Field[]
}

/** Deeper objects are shown as `object`. */
const MAX_DEPTH = 4

export function fieldsOf(node: JsonSchema, resolve: Resolve, depth = 0): Field[] {
  const schema = resolve<JsonSchema>(node)
  if (schema.oneOf !== undefined && schema.properties === undefined) return unionFields(schema.oneOf, resolve, depth)
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).map(([name, property]) =>
    fieldOf(name, property, required.has(name) ? 'required' : undefined, resolve, depth),
  )
}

/** The variants of a union differ in what they require: one list says for which variants each field is required. */
function unionFields(variants: readonly JsonSchema[], resolve: Resolve, depth: number): Field[] {
  const resolved = variants.map((variant) => resolve<JsonSchema>(variant))
  const names = [...new Set(resolved.flatMap(({ properties = {} }) => Object.keys(properties)))]
  const tag = names.find((name) => resolved.every(({ properties }) => properties?.[name]?.enum?.length === 1))
  const labels = resolved.map(({ properties = {} }, i) =>
    String(tag === undefined ? i + 1 : properties[tag]?.enum?.[0]),
  )
  return names.map((name) => {
    const text = requiredText(name, resolved, labels)
    const holders = resolved.map(({ properties }) => resolve<JsonSchema | undefined>(properties?.[name]))
    const held = holders.filter((holder) => holder !== undefined)
    if (name === tag)
      return fieldOf(
        name,
        { type: 'string', enum: labels, description: 'Decides which other fields are required' },
        text,
        resolve,
        depth,
      )
    // The one that may be left out has the default.
    const shown = held.find((holder) => 'default' in holder) ?? (held[0] as JsonSchema)
    const field = fieldOf(name, shown, text, resolve, depth)
    const forms = new Set(held.map(({ properties = {} }) => Object.keys(properties).join()))
    return forms.size < 2 ? field : { ...field, children: formFields(holders, labels, resolve, depth + 1) }
  })
}

/** The fields of an object that has another form in each variant, such as the settings of a channel. */
function formFields(
  forms: readonly (JsonSchema | undefined)[],
  labels: readonly string[],
  resolve: Resolve,
  depth: number,
): Field[] {
  const names = [...new Set(forms.flatMap((form) => Object.keys(form?.properties ?? {})))]
  return names.map((name) => {
    const holders = forms.flatMap((form, i) => {
      const schema = form?.properties?.[name]
      return schema === undefined ? [] : [{ label: labels[i] as string, schema: resolve<JsonSchema>(schema) }]
    })
    const texts = [...Map.groupBy(holders, ({ schema }) => schema.description ?? '')].map(
      ([description, same]) => `${same.map(({ label }) => label).join(', ')}: ${description}`,
    )
    const [{ schema }] = holders as [(typeof holders)[number]]
    const description = texts.join('. ')
    return { ...fieldOf(name, schema, requiredText(name, forms, labels), resolve, depth), description }
  })
}

function requiredText(
  name: string,
  variants: readonly (JsonSchema | undefined)[],
  labels: readonly string[],
): string | undefined {
  const needing = labels.filter((_, i) => variants[i]?.required?.includes(name))
  if (needing.length === 0) return undefined
  return needing.length === labels.length ? 'required' : `required for ${needing.join(', ')}`
}

/** A field of an object, or a parameter. */
export function fieldOf(
  name: string,
  node: JsonSchema,
  required: string | undefined,
  resolve: Resolve,
  depth = 0,
): Field {
  const schema = resolve<JsonSchema>(node)
  const holder = contentOf(schema, resolve)
  return {
    name,
    required,
    type: typeText(schema, resolve),
    description: node.description ?? schema.description,
    bounds: boundsOf(schema, resolve),
    values: (schema.enum ?? resolve<JsonSchema>(schema.items ?? {}).enum ?? [])
      .filter((value) => value !== null)
      .map(String),
    default: schema.default === undefined ? undefined : JSON.stringify(schema.default),
    children: depth < MAX_DEPTH && holder !== undefined ? fieldsOf(holder, resolve, depth + 1) : [],
  }
}

/** The schema whose properties are shown below a field: its own or that of its items. */
function contentOf(schema: JsonSchema, resolve: Resolve): JsonSchema | undefined {
  if (schema.properties !== undefined) return schema
  const items = schema.items === undefined ? undefined : resolve<JsonSchema>(schema.items)
  return items?.properties === undefined ? undefined : items
}

function typeText(node: JsonSchema, resolve: Resolve): string {
  const schema = resolve<JsonSchema>(node)
  const types = [schema.type ?? []].flat()
  if (types.length === 0) {
    if (schema.oneOf ?? schema.anyOf)
      return (schema.oneOf ?? schema.anyOf ?? []).map((one) => typeText(one, resolve)).join(' or ')
    return schema.enum === undefined ? 'any' : 'string'
  }
  return types
    .map((type) =>
      type === 'array' ? `array of ${plural(typeText(schema.items ?? {}, resolve))}` : named(type, schema),
    )
    .join(' or ')
}

function plural(type: string): string {
  return /^(string|integer|object|number|boolean)$/.test(type) ? `${type}s` : type
}

function named(type: string, schema: JsonSchema): string {
  return type === 'string' && isTime(schema) ? 'timestamp' : type
}

function boundsOf(schema: JsonSchema, resolve: Resolve): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, uniqueItems, pattern } = schema
  const bounds = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    range(undefined, maxProperties, ' entries'),
  ]
  const items =
    schema.items === undefined
      ? []
      : boundsOf(resolve<JsonSchema>(schema.items), resolve).map((bound) => `each ${bound}`)
  return [
    ...bounds.filter((bound) => bound !== undefined),
    ...items,
    ...(uniqueItems === true ? ['no duplicates'] : []),
    ...(pattern === undefined || isTime(schema) ? [] : [`pattern ${pattern}`]),
  ]
}

function range(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  const number = (value: number): string => value.toLocaleString('en')
  if (from !== undefined && from > 0 && to !== undefined) return `${number(from)} to ${number(to)}${unit}`
  if (from === 0 && to !== undefined) return unit === '' ? `0 to ${number(to)}` : `at most ${number(to)}${unit}`
  if (to !== undefined) return `at most ${number(to)}${unit}`
  if (from === undefined || (from === 0 && unit !== '')) return undefined
  return from === 1 && unit === ' characters' ? 'not empty' : `at least ${number(from)}${unit}`
}
