import type { TSchema } from 'typebox'
import type { RequiredField } from '../monitor-types/definition.ts'
import { definitions, type MonitorType, monitorTypes } from '../monitor-types/definitions.ts'

type Schemas = Readonly<Record<string, TSchema>>

/** The body of a creation as a union by `type`, for the OpenAPI document: each type with its required fields. */
export function monitorVariants(fields: Schemas): object {
  const name = (type: MonitorType): string => `Create${type.charAt(0)}${type.slice(1).toLowerCase()}Monitor`
  return {
    type: undefined,
    properties: undefined,
    required: undefined,
    additionalProperties: undefined,
    oneOf: monitorTypes.map((type) => variant(type, name(type), fields)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(monitorTypes.map((type) => [type, `#/components/schemas/${name(type)}`])),
    },
  }
}

function variant(type: MonitorType, title: string, fields: Schemas): object {
  const { required } = definitions[type]
  const properties = Object.entries(fields).map(([field, schema]): [string, object] => {
    if (field === 'type') return [field, { type: 'string', enum: [type], description: 'The type of the monitor' }]
    return [field, required[field] === undefined ? schema : present(schema, required[field])]
  })
  return {
    title,
    type: 'object',
    required: ['name', 'type', ...Object.keys(required)],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

/** A field that must be given and not null. */
function present(schema: TSchema, { documented }: RequiredField): object {
  const { default: _default, type, ...rest } = schema as TSchema & { default: unknown; type: readonly string[] }
  const [only] = type
  return { ...rest, type: only, ...(only === 'string' && { minLength: 1 }), ...documented }
}
