import type { JsonSchema } from '../lib/json-schema.ts'
import { once } from '../lib/once.ts'
import { KEY_PATTERN } from './document.ts'
import { forEditors, variableDefinition } from './editor-schema.ts'
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

function allProperties(schema: JsonSchema): object {
  return Object.assign({}, ...(schema.oneOf ?? [schema]).map(({ properties = {} }) => properties))
}

/** What is required may come from `defaults`. */
function withoutRequired({ required: _required, ...schema }: JsonSchema): JsonSchema {
  return schema.oneOf === undefined ? schema : { ...schema, oneOf: schema.oneOf.map(keepType) }
}

/** The type tells the variants apart. */
function keepType({ required: _required, ...variant }: JsonSchema): JsonSchema {
  return { ...variant, required: ['type'] }
}
