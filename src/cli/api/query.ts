import type { JsonSchema } from '../../lib/json-schema.ts'
import type { Arguments } from '../command.ts'
import { itemSchema, type Row } from './display.ts'
import type { DocumentedOperation } from './document.ts'
import { readFields } from './options.ts'
import { choicesOf, fieldsOf } from './schema.ts'

/**
 * The query as people type it: a parameter that can only be "true" is a flag, and one that takes several values of a field of the
 * items, such as states, has these values.
 */
export function typedQuery({ query, answer }: DocumentedOperation): JsonSchema {
  const items = fieldsOf(itemSchema(answer()))
  const fields = Object.entries(fieldsOf(query())).map(([name, schema]): [string, JsonSchema] => {
    if (schema.enum?.length === 1 && schema.enum[0] === 'true')
      return [name, { ...schema, type: 'boolean', enum: [true] }]
    const values = choicesOf(items[name] ?? {})
    const isSeveral = /\bcomma separated\b/.test(schema.description ?? '') && values !== undefined
    if (!isSeveral) return [name, schema]
    const description = schema.description?.replace(/,? comma separated/, '')
    return [name, { type: 'array', items: { type: 'string', enum: values }, ...(description && { description }) }]
  })
  return { ...query(), properties: Object.fromEntries(fields) }
}

/** The values of the query, as the API takes them. */
export function readQuery(operation: DocumentedOperation, args: Arguments, now: number): Row {
  const given = readFields(typedQuery(operation), args, now)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
  )
}
