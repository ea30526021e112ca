import type { JsonSchema } from '../lib/json-schema.ts'
import { once } from '../lib/once.ts'
import { KEY_PATTERN } from './document.ts'
import { discriminatorOf, forEditors, variableDefinition } from './editor-schema.ts'
import { kinds } from './kinds/definitions.ts'
import { withProperties } from './kinds/fields.ts'
import { kindNames } from './kinds/kind.ts'

const key: JsonSchema = { type: 'string', pattern: KEY_PATTERN }

/** The JSON Schema of a document, for editors. */
export const documentSchema = once((): object => {
  const sections = kindNames.map((kind) => {
    const { schema, noun, idPrefix } = kinds[kind]
    const resource = withProperties(schema, {
      id: { type: 'string', pattern: `^${idPrefix}`, description: `Adopts a ${noun} that was created by hand` },
      was: { ...key, description: 'The earlier key: the resource is renamed and keeps its history' },
    })
    const section = {
      type: 'object',
      description: `Every ${noun}, by a key of your own`,
      propertyNames: { pattern: KEY_PATTERN },
      additionalProperties: { $ref: `#/$defs/${kind}` },
    }
    return { kind, resource, section }
  })
  const schema = forEditors({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Pharos configuration',
    type: 'object',
    required: ['version'],
    additionalProperties: false,
    properties: {
      version: { type: 'integer', const: 1 },
      source: {
        ...key,
        default: 'default',
        description: 'The name of this document. A document touches only its own resources.',
      },
      defaults: {
        type: 'object',
        description: 'Fields that all resources of a kind have unless they have their own',
        additionalProperties: false,
        properties: Object.fromEntries(
          sections.map(({ kind, resource }) => [kind, { type: 'object', properties: allProperties(resource) }]),
        ),
      },
      ...Object.fromEntries(sections.map(({ kind, section }) => [kind, section])),
    },
    $defs: Object.fromEntries(sections.map(({ kind, resource }) => [kind, withoutRequired(resource)])),
  })
  return { ...schema, $defs: { ...(schema.$defs as object), ...variableDefinition } }
})

/** The fields of all variants. What they hold together must fit one variant, not each by itself. */
function allProperties({ oneOf, properties = {} }: JsonSchema): object {
  if (oneOf === undefined) return properties
  const fields = Map.groupBy(
    oneOf.flatMap((variant) => Object.entries(variant.properties ?? {})),
    ([name]) => name,
  )
  return Object.fromEntries([...fields].map(([name, found]) => [name, anyForm(found.map(([, field]) => field))]))
}

function anyForm(forms: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
  const [first = {}] = distinct
  const { type, description } = first
  if (distinct.length === 1) return first
  if (distinct.every((form) => form.enum !== undefined))
    return { ...first, enum: distinct.flatMap((form) => form.enum ?? []) }
  const isObject = distinct.every((form) => form.properties !== undefined)
  return isObject && type !== undefined
    ? { type, ...(description !== undefined && { description }) }
    : { anyOf: distinct }
}

/** What is required may come from `defaults`, except what tells the variants apart. */
function withoutRequired({ required: _required, ...schema }: JsonSchema): JsonSchema {
  const { oneOf } = schema
  if (oneOf === undefined) return schema
  const tag = discriminatorOf(oneOf as readonly object[] as Parameters<typeof discriminatorOf>[0])
  return { ...schema, oneOf: oneOf.map((variant) => ({ ...variant, required: tag === undefined ? [] : [tag] })) }
}
