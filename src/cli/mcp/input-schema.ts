import { isResourceId } from '../../../clients/typescript/src/resource-id.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { itemSchema } from '../api/display.ts'
import type { DocumentedOperation } from '../api/document.ts'
import { choicesOf, fieldsOf, requiredFields } from '../api/schema.ts'

/** Where an argument of a tool goes in the request. */
type Place = 'path' | 'query' | 'body' | 'whole body' | 'notify' | 'answer'

export interface ToolInput {
  /** An object without `oneOf` at its top, which many assistants do not accept. */
  readonly schema: JsonSchema & { readonly type: 'object' }
  readonly places: Readonly<Record<string, Place>>
}

const NOTIFY = 'notify'
/** The field of a body that decides whether people are notified. */
const NOTIFY_FIELD = 'notifySubscribers'
const FIELDS = 'fields'

/**
 * The arguments of a tool: the parameters of path and query, and the fields of the body beside them. A body that has a field with the
 * name of a parameter is one argument, `body`.
 */
export function toolInput(operation: DocumentedOperation): ToolInput {
  const [params, query] = [operation.params(), operation.query()]
  const body = operation.body() ?? {}
  const { [NOTIFY_FIELD]: decides, ...bodyFields } = fieldsOf(body)
  const outside = { ...fieldsOf(params), ...fieldsOf(query) }
  const isWhole = Object.keys(bodyFields).some((field) => field in outside || field === NOTIFY)
  const fields = isWhole ? { body } : withVariants(bodyFields, body)
  const notify =
    operation.notifies === false ? {} : { [NOTIFY]: notifySchema(operation.notifies, decides !== undefined) }
  const answer = itemSchema(operation.answer()) === undefined ? {} : { [FIELDS]: fieldsSchema }
  const bodyRequired = isWhole ? ['body'] : requiredFields(body)
  const notifyRequired = operation.notifies === true ? [NOTIFY] : []
  const required = [...requiredFields(params), ...requiredFields(query), ...bodyRequired, ...notifyRequired]
  return {
    schema: {
      type: 'object',
      properties: { ...outside, ...fields, ...notify, ...answer },
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    places: {
      ...placed(fieldsOf(params), 'path'),
      ...placed(fieldsOf(query), 'query'),
      ...placed(fields, isWhole ? 'whole body' : 'body'),
      ...placed(notify, 'notify'),
      ...placed(answer, 'answer'),
    },
  }
}

function placed(fields: object, place: Place): Record<string, Place> {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, place]))
}

const fieldsSchema: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Return only these fields of each item, such as ["id", "name"]',
}

/** Where the operation always notifies, the argument confirms it. */
function notifySchema(notifies: true | readonly string[], isOptional: boolean): JsonSchema {
  if (notifies !== true) {
    const description = `Must be true with ${notifies.join(' or ')}: the call then notifies people. Ask the user first`
    return { type: 'boolean', enum: [true], description }
  }
  if (isOptional) {
    return { type: 'boolean', description: 'Whether to notify people. Ask the user before you pass true' }
  }
  const description = 'Must be true: the call notifies people. Ask the user first'
  return { type: 'boolean', enum: [true], description }
}

/** Adds to the fields of a union for which of its variants they are required. Their form is that of a variant that does not need them. */
function withVariants(fields: Readonly<Record<string, JsonSchema>>, { oneOf = [] }: JsonSchema) {
  const [tag] = Object.keys(fields).filter((name) => oneOf.every((variant) => valuesOf(variant, name).length === 1))
  if (tag === undefined || oneOf.length === 0) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const needing = oneOf.filter((variant) => requiredFields(variant).includes(name))
      if (needing.length === 0 || needing.length === oneOf.length) return [name, field]
      const text = `Required for ${tag} ${needing.map((variant) => String(valuesOf(variant, tag)[0])).join(', ')}`
      const description = field.description === undefined ? text : `${field.description.replace(/\.$/, '')}. ${text}`
      const free = oneOf.find((variant) => !needing.includes(variant))
      return [name, { ...(fieldsOf(free)[name] ?? field), description }]
    }),
  )
}

function valuesOf(variant: JsonSchema, name: string): readonly unknown[] {
  return choicesOf(fieldsOf(variant)[name] ?? {}) ?? []
}

export interface ToolRequest {
  readonly params: Record<string, string>
  readonly query: Record<string, unknown>
  readonly body: unknown
  /** The fields of the items that are wanted; undefined for all. */
  readonly fields: readonly string[] | undefined
}

/** The request that a call of a tool makes, or what is wrong with its arguments. The API checks the values. */
export function requestOf(
  operation: DocumentedOperation,
  { schema, places }: ToolInput,
  given: Readonly<Record<string, unknown>>,
): ToolRequest | { readonly problem: string } {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(places, name))
  if (unknown !== undefined) return { problem: `Unknown argument ${unknown}` }
  const missing = schema.required?.find((name) => given[name] === undefined)
  if (missing !== undefined) return { problem: `${missing} is required` }
  const values = (place: Place) => Object.fromEntries(Object.entries(given).filter(([name]) => places[name] === place))
  const ids = values('path')
  const badId = Object.entries(ids).find(([, id]) => !isResourceId(id))
  if (badId !== undefined) return { problem: `${badId[0]} must be the ID of a resource` }
  const notify = notifyField(operation, given)
  if ('problem' in notify) return notify
  // Not `given.body`: a body may have a field of that name.
  const { body: whole } = values('whole body')
  const hasBody = operation.body() !== undefined
  const body = hasBody ? { ...values('body'), ...(whole as object | undefined), ...notify } : undefined
  const { [FIELDS]: fields } = values('answer')
  if (fields !== undefined && !Array.isArray(fields)) return { problem: 'fields must be a list of names' }
  const known = Object.keys(fieldsOf(itemSchema(operation.answer())))
  const unknownField = fields?.find((field) => !known.includes(field))
  if (unknownField !== undefined)
    return { problem: `fields has ${JSON.stringify(unknownField)}, items have ${known.join(', ')}` }
  return { params: ids as Record<string, string>, query: values('query'), body, fields }
}

function notifyField(
  operation: DocumentedOperation,
  given: Readonly<Record<string, unknown>>,
): object | { readonly problem: string } {
  const { notifies } = operation
  if (notifies === false) return {}
  const { [NOTIFY]: notify } = given
  if (notifies !== true) {
    const sending = notifies.find((field) => given[field] !== undefined)
    if (sending === undefined || notify === true) return {}
    return { problem: `The call was not made: ${sending} can notify people. Pass notify: true if it should` }
  }
  if (typeof notify !== 'boolean') return { problem: 'notify must be true or false' }
  if (Object.hasOwn(fieldsOf(operation.body()), NOTIFY_FIELD)) return { [NOTIFY_FIELD]: notify }
  return notify ? {} : { problem: 'The call was not made: it always notifies people. Pass notify: true if it should' }
}
