import { isTime } from '../../contract/patterns.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import type { Arguments, Option } from '../command.ts'
import { UsageError } from '../command.ts'
import { isListOfScalars, parseJson, parseValue } from './parse-value.ts'
import { fieldsOf, fieldWords, isNullable, isRecord, optionName, requiredFields, typedValue, typeOf } from './schema.ts'

type Options = Record<string, Option>

/** One option for each parameter of a query. */
export function queryOptions(schema: JsonSchema): Options {
  const fields = Object.entries(fieldsOf(schema))
  return Object.fromEntries(fields.map(([field, each]) => [optionName(field), optionOf(field, each, {})]))
}

/**
 * One option for each field of a body, required ones first, and `--body` for the whole, unless a field has that name. In an update,
 * `--no-NAME` empties what may be empty.
 */
export function bodyOptions(schema: JsonSchema | undefined, isUpdate: boolean): Options {
  const required = requiredFields(schema ?? {})
  const fields = Object.entries(fieldsOf(schema)).toSorted(
    ([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)),
  )
  if (fields.length === 0) return {}
  const options = fields.map(([field, each]) => {
    return [optionName(field), optionOf(field, each, { isUpdate, isRequired: required.includes(field) })]
  })
  if (hasBodyField(schema)) return Object.fromEntries(options)
  return {
    ...Object.fromEntries(options),
    body: {
      value: 'JSON',
      help: 'The whole body: JSON, @FILE, or - for standard input. Other options override its fields',
    },
  }
}

/** The text of a note is its `body`. */
function hasBodyField(schema: JsonSchema | undefined): boolean {
  return Object.hasOwn(fieldsOf(schema), 'body')
}

interface Usage {
  readonly isUpdate?: boolean
  readonly isRequired?: boolean
}

function optionOf(field: string, schema: JsonSchema, { isUpdate = false, isRequired = false }: Usage): Option {
  const isFlag = typeOf(schema) === 'boolean'
  const isMany = isListOfScalars(schema) || isRecord(schema)
  const canBeEmpty = isNullable(schema) || (typeOf(schema) === 'array' && (schema.minItems ?? 0) === 0)
  const values = schema.enum ?? schema.items?.enum
  return {
    ...(isFlag ? {} : { value: placeholder(field, schema) }),
    ...(isMany ? { repeats: true } : {}),
    ...((isFlag && schema.enum === undefined) || (isUpdate && canBeEmpty) ? { negatable: true } : {}),
    ...(isFlag || values === undefined ? {} : { choices: values.filter((value) => value !== null).map(typedValue) }),
    ...(isRequired ? { requiredInBody: true } : {}),
    help: helpOf(field, schema),
  }
}

function placeholder(field: string, schema: JsonSchema): string {
  if (isRecord(schema)) return 'NAME:VALUE'
  if (isTime(schema)) return 'TIME'
  const isJson = ['object', 'array'].includes(typeOf(schema)) && !isListOfScalars(schema)
  return isJson ? 'JSON' : (optionName(field).split('-').at(-1) ?? '').toUpperCase()
}

const MOST_CHOICES = 10

/** The first sentence of the description, the choices or bounds, and the default. */
function helpOf(field: string, schema: JsonSchema): string {
  const { description = '', minimum, maximum } = schema
  const values = typeOf(schema) === 'boolean' ? undefined : (schema.enum ?? schema.items?.enum)
  // The format of times is the same everywhere, and described by docs/cli.md.
  const [sentence = ''] = description.replace(/^ISO 8601.*/, '').split(/\.(?:\s|$)/)
  const text = sentence === '' ? fieldWords(field) : sentence
  const choices = values?.filter((value) => value !== null).map(typedValue) ?? []
  const limits =
    choices.length > 0 && choices.length <= MOST_CHOICES
      ? `: ${choices.join(', ')}`
      : minimum !== undefined && maximum !== undefined
        ? `, ${minimum} to ${maximum}`
        : ''
  return `${text}${limits}${defaultText(schema)}${isListOfScalars(schema) || isRecord(schema) ? '; may be repeated' : ''}`
}

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return ''
  const text =
    value === true ? 'yes' : value === false ? 'no' : Array.isArray(value) ? value.join(',') : typedValue(value)
  return ` (default: ${text})`
}

/** The fields that the options give. */
export function readFields(schema: JsonSchema | undefined, args: Arguments, now: number): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [field, each] of Object.entries(fieldsOf(schema))) {
    const name = optionName(field)
    const texts = args.repeated[name] ?? (args.options[name] === undefined ? [] : [args.options[name]])
    if (args.negated.has(name)) given[field] = emptyValue(each)
    else if (texts.length > 0) given[field] = typeOf(each) === 'boolean' ? true : parseValue(field, each, texts, now)
  }
  return given
}

/** What `--no-NAME` means. */
function emptyValue(schema: JsonSchema): unknown {
  if (typeOf(schema) === 'boolean') return false
  return isNullable(schema) ? null : typeOf(schema) === 'array' ? [] : {}
}

/** The body of a request: that of --body, with the fields of other options. */
export function readBody(schema: JsonSchema | undefined, args: Arguments, now: number): Record<string, unknown> {
  const isWhole = args.options.body !== undefined && !hasBodyField(schema)
  const whole = isWhole ? parseJson('--body', args.options.body ?? '') : {}
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) {
    throw new UsageError('--body must be a JSON object')
  }
  return { ...whole, ...readFields(schema, args, now) }
}

export function requireFields(schema: JsonSchema | undefined, body: Readonly<Record<string, unknown>>): void {
  const missing = requiredFields(schema ?? {}).find((field) => !Object.hasOwn(body, field))
  if (missing === undefined) return
  const value = placeholder(missing, fieldsOf(schema)[missing] ?? {})
  throw new UsageError(`Missing option --${optionName(missing)} ${value}`)
}
