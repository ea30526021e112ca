import type { TSchema } from 'typebox'

/** The fields that a monitor of each type must have. */
export const requiredFields = {
  HTTP: ['url'],
  KEYWORD: ['url', 'keyword'],
  PING: ['host'],
  PORT: ['host', 'port'],
  CRON: [],
  DNS: ['url'],
  SSL: ['url'],
  DOMAIN: ['url'],
} as const satisfies Record<string, readonly string[]>

type Type = keyof typeof requiredFields
type Fields = Readonly<Record<string, TSchema>>

/**
 * A host name in front of one of `ends`: no empty part, none that starts with - and, if there are several, none of more than 63
 * characters.
 */
const hostName = (ends: string): string => {
  const inside = `[^.:@/?#\\\\\\[\\]\\s${CONTROLS}]`
  const label = `(?!-)${inside}+`
  const short = `(?!-)${inside}{1,63}`
  return `(?:${short}(?:\\.${short})+\\.?|${label}\\.?|\\[[0-9A-Fa-f:.]+\\])(?=${ends})`
}
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
const PATH = `(?:[/?#\\\\][^${CONTROLS}]*)?$`
const httpUrl = {
  pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:[^/?#\\\\${CONTROLS}]*@)?${hostName('[:/?#\\\\]|$')}(?::[0-9]*)?${PATH}`,
  examples: ['https://shop.example/health'],
}
/** Without a user name and password, which stand before an @ in front of the path. */
const hostOrUrl = (port: string) => ({
  pattern: `^(?:[A-Za-z][A-Za-z0-9+.-]*://)?${hostName('[:/?#\\\\]|$')}${port}(?:[/?#\\\\][^\\s${CONTROLS}]*)?$`,
  examples: ['shop.example'],
})
/** Without a port. */
const host = {
  pattern: `^(?:${hostName('$')}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%.+)?)$`,
  examples: ['db.example'],
}

/** How the required fields of each type must look. */
const forms: Readonly<Record<Type, Readonly<Record<string, object>>>> = {
  HTTP: { url: httpUrl },
  KEYWORD: { url: httpUrl },
  PING: { host },
  PORT: { host },
  CRON: {},
  DNS: { url: hostOrUrl('') },
  SSL: { url: hostOrUrl('(?::[0-9]+)?') },
  DOMAIN: { url: hostOrUrl('(?::[0-9]+)?') },
}

/** The body of a creation as a union by `type`, for the OpenAPI document: each type with its required fields. */
export function monitorVariants(types: readonly Type[], fields: Fields): object {
  const name = (type: Type): string => `Create${type.charAt(0)}${type.slice(1).toLowerCase()}Monitor`
  return {
    ...{ type: undefined, properties: undefined, required: undefined, additionalProperties: undefined },
    oneOf: types.map((type) => variant(type, name(type), fields)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(types.map((type) => [type, `#/components/schemas/${name(type)}`])),
    },
  }
}

function variant(type: Type, title: string, fields: Fields): object {
  const required: readonly string[] = requiredFields[type]
  const properties = Object.entries(fields).map(([field, schema]): [string, object] => {
    if (field === 'type') return [field, { type: 'string', enum: [type], description: 'The type of the monitor' }]
    return [field, required.includes(field) ? present(schema, forms[type][field]) : schema]
  })
  return {
    title,
    type: 'object',
    required: ['name', 'type', ...required],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

/** A field that must be given and not null. */
function present(schema: TSchema, form: object = {}): object {
  const { default: _default, type, ...rest } = schema as TSchema & { default: unknown; type: readonly string[] }
  const [only] = type
  return { ...rest, type: only, ...(only === 'string' && { minLength: 1 }), ...form }
}
