import Type from 'typebox'
import { body, DOCUMENTED, defaulted, oneOf, resource } from '../contract/schema.ts'
import { kindNames } from './kinds/kind.ts'
import { actions } from './plan.ts'
import type { SplitDocument } from './split-document.ts'

const ChangedField = resource('ConfigurationField', {
  path: Type.String({ description: 'Dotted path of the field in the document' }),
  before: Type.Unknown({ description: 'null if there was none; secrets are shown as `(secret)`' }),
  after: Type.Unknown({ description: 'null if there will be none; secrets are shown as `(secret)`' }),
})

const ConfigurationChange = resource('ConfigurationChange', {
  action: oneOf(actions, {
    description:
      'RELEASE: the document no longer has the resource, which is kept and managed by hand from then on. NONE: nothing changes.',
  }),
  kind: Type.String({ description: `The part of the document: ${kindNames.join(', ')}` }),
  key: Type.String({ description: 'The key in the document' }),
  id: Type.Optional(Type.String({ description: 'Not of a resource that is still to be created' })),
  fields: Type.Array(ChangedField, { description: 'What changes; of a new resource, what is not default' }),
  historyDays: Type.Optional(Type.Integer({ description: 'Days of history that are deleted with a monitor' })),
  warning: Type.Optional(Type.String({ description: 'What people should know before they apply the plan' })),
})

const AppliedChange = resource('AppliedConfigurationChange', {
  ...ConfigurationChange.properties,
  id: Type.String({ description: 'The id of the resource' }),
  heartbeatUrl: Type.Optional(
    Type.String({ description: 'Of a CRON monitor that was created: the URL that its job calls' }),
  ),
  secret: Type.Optional(
    Type.String({
      description: 'Of a webhook endpoint that was created: the signing secret, which is not shown again',
    }),
  ),
})

const Summary = resource('ConfigurationSummary', {
  create: Type.Integer({ description: 'Resources that are created' }),
  update: Type.Integer({ description: 'Resources that are changed' }),
  delete: Type.Integer({ description: 'Resources that are deleted' }),
  release: Type.Integer({ description: 'Resources that are kept, and managed by hand from then on' }),
  none: Type.Integer({ description: 'Resources that stay as they are' }),
})

export const ConfigurationPlan = resource('ConfigurationPlan', {
  planId: Type.String({ minLength: 1, description: 'Applies the plan, within an hour' }),
  confirmDeletes: Type.Optional(
    Type.Integer({
      description:
        "The number of monitors that it deletes, if that is more than a fifth of the source's: applying it then needs it",
    }),
  ),
  changes: Type.Array(ConfigurationChange, { description: 'One for each resource of the document and of its source' }),
  summary: Summary,
})

export const ConfigurationResult = resource('ConfigurationResult', {
  changes: Type.Array(AppliedChange, { description: 'Without those that changed nothing' }),
  summary: Summary,
})

export const PlanConfiguration = body('PlanConfiguration', {
  document: Type.Unsafe<SplitDocument>({
    type: 'object',
    description: 'The document; its JSON Schema is at `/schema/configuration.json`',
    [DOCUMENTED]: {
      required: ['version'],
      properties: { version: { type: 'integer', const: 1, description: 'The version of the format' } },
      propertyNames: { pattern: `^(version|source|defaults|${kindNames.join('|')})$` },
      // Otherwise generated types have no other members.
      additionalProperties: true,
    },
  }),
  delete: defaulted(
    Type.Boolean({
      description: 'Delete resources of the source that the document no longer has, instead of releasing them',
    }),
    false,
  ),
})

export const ApplyConfiguration = body('ApplyConfiguration', {
  planId: Type.String({ minLength: 1, maxLength: 100, description: 'The plan to apply' }),
  confirmDeletes: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "The number of monitors that the plan deletes. Required if it is more than a fifth of the source's monitors.",
    }),
  ),
})

export const ResourceSource = Type.Unsafe<{ source: string; key: string } | null>({
  title: 'ResourceSource',
  type: ['object', 'null'],
  required: ['source', 'key'],
  properties: {
    source: { type: 'string', description: 'The source of the document' },
    key: { type: 'string', description: 'The key in the document' },
  },
  description: 'null if no document manages the resource',
})
