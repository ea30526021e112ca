import type { JsonSchema } from '../../lib/json-schema.ts'

/** The fields of an object, those of its variants included. */
export function fieldsOf(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema ?? {}
  const fields = { ...properties }
  for (const variant of [...allOf, ...anyOf, ...oneOf]) {
    for (const [name, field] of Object.entries(fieldsOf(variant))) {
      const known = fields[name]
      const choices = known === undefined ? choicesOf(field) : bothChoices(known, field)
      const either = known === undefined ? undefined : eitherObject(known, field)
      fields[name] = either ?? { ...field, ...known, ...(choices === undefined ? {} : { enum: choices }) }
    }
  }
  return fields
}

/** Objects of different forms, such as the settings of two channels. */
function eitherObject(known: JsonSchema, other: JsonSchema): JsonSchema | undefined {
  if (other.properties === undefined) return undefined
  const forms = known.anyOf ?? (known.properties === undefined ? [] : [known])
  const names = (form: JsonSchema) => Object.keys(form.properties ?? {}).join()
  if (forms.length === 0 || (known.anyOf === undefined && names(known) === names(other))) return undefined
  const { description } = known
  return { type: 'object', ...(description !== undefined && { description }), anyOf: [...forms, other] }
}

/** The fields that every variant of an object requires. */
export function requiredFields({ required = [], allOf = [], anyOf = [], oneOf = [] }: JsonSchema): string[] {
  const [first = [], ...others] = [...anyOf, ...oneOf].map(requiredFields)
  const inAll = first.filter((field) => others.every((fields) => fields.includes(field)))
  return [...new Set([...required, ...allOf.flatMap(requiredFields), ...inAll])]
}

/** The values that a field can have, if they are enumerated. */
export function choicesOf({ enum: values, const: value }: JsonSchema): readonly unknown[] | undefined {
  return values ?? (value === undefined ? undefined : [value])
}

function bothChoices(a: JsonSchema, b: JsonSchema): readonly unknown[] | undefined {
  const [first, second] = [choicesOf(a), choicesOf(b)]
  return first === undefined || second === undefined ? first : [...new Set([...first, ...second])]
}

/** The type of the value when it is not null. */
export function typeOf({ type, properties }: JsonSchema): string {
  const named = typeof type === 'string' ? type : type?.find((name) => name !== 'null')
  return named ?? (properties === undefined ? 'string' : 'object')
}

export function isNullable({ type, enum: values }: JsonSchema): boolean {
  return (Array.isArray(type) && type.includes('null')) || values?.includes(null) === true
}

/** An object with names of the user's choice, such as headers, or with those of several forms. */
export function isRecord(schema: JsonSchema): boolean {
  const { properties, additionalProperties, patternProperties, anyOf } = schema
  if (typeOf(schema) !== 'object' || properties !== undefined) return false
  return typeof additionalProperties === 'object' || patternProperties !== undefined || anyOf !== undefined
}

/** `intervalSeconds` as `interval-seconds`. */
export function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const units: Readonly<Record<string, string>> = { Seconds: 'seconds', Sec: 'seconds', Ms: 'milliseconds', Days: 'days' }

/** `intervalSeconds` as "Interval in seconds". */
export function fieldWords(field: string): string {
  const [, name = field, unit = ''] = /^(.+?)(Seconds|Sec|Ms|Days)$/.exec(field) ?? []
  return `${capitalized(name)}${units[unit] === undefined ? '' : ` in ${units[unit]}`}`
}

/** `dnsRecordType` as "DNS record type". */
export function capitalized(field: string): string {
  return optionName(field)
    .replaceAll('-', ' ')
    .replace(/^./, (letter) => letter.toUpperCase())
    .replace(/\b(id|url|ssl|dns)(s?)\b/gi, (_, name: string, plural: string) => `${name.toUpperCase()}${plural}`)
}

/** `NOT_EXISTS` as `not-exists`; values that are not upper case stay. */
export function typedValue(value: unknown): string {
  const text = String(value)
  return /^[A-Z][A-Z0-9_]*$/.test(text) ? text.toLowerCase().replaceAll('_', '-') : text
}
