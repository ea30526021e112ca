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

const httpUrl = {
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/\\\\][^\\u0000-\\u001f\\u007f-\\u009f]*$',
  examples: ['https://shop.example/health'],
}
/** Without a user name and password, which stand before an @ in front of the path. */
const hostOrUrl = {
  pattern:
    '^([A-Za-z][A-Za-z0-9+.-]*://)?[^\\s\\u0000-\\u001f\\u007f-\\u009f@/?#\\\\]+([/?#\\\\][^\\s\\u0000-\\u001f\\u007f-\\u009f]*)?$',
  examples: ['shop.example'],
}
/** Without a leading - or dot, two dots in a row, or a port; an IPv6 address has more than one colon. */
const host = { pattern: '^(?![-.])(?!.*\\.\\.)(?![^:]*:[^:]*$)[^\\s/?#@\\\\]+$', examples: ['db.example'] }

/** How the required fields of each type must look. */
const forms: Readonly<Record<Type, Readonly<Record<string, object>>>> = {
  HTTP: { url: httpUrl },
  KEYWORD: { url: httpUrl },
  PING: { host },
  PORT: { host },
  CRON: {},
  DNS: { url: hostOrUrl },
  SSL: { url: hostOrUrl },
  DOMAIN: { url: hostOrUrl },
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
