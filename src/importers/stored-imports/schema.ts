import Type from 'typebox'
import { body, defaulted, nullable, oneOf, Pagination, resource, Timestamp } from '../../contract/schema.ts'
import { outcomes, type SourceName, sourceNames } from '../result.ts'

export const common = { extension: true, tag: 'Configuration' } as const

/** Written as in the names of sources, such as `import-kuma`. */
export const ToolName = Type.Unsafe<SourceName>({
  type: 'string',
  pattern: `^(${sourceNames.join('|')})$`,
  description: `The tool that the files are of: ${sourceNames.join(', ')}`,
})

export const importParams = Type.Object({ importId: Type.String({ minLength: 1, description: 'The import' }) })

const UploadedFile = resource('UploadedFile', {
  name: Type.String({ description: 'The name of the file' }),
  bytes: Type.Integer({ description: 'The size of the file' }),
})

const ImportCounts = resource('ImportCounts', {
  mapped: Type.Integer({ description: 'Objects that are imported completely' }),
  mappedWithLosses: Type.Integer({ description: 'Objects that are imported without some of their settings' }),
  notSupported: Type.Integer({ description: 'Objects that cannot be imported' }),
  notMonitors: Type.Integer({ description: 'Objects that are imported as something else, such as groups as labels' }),
})

const fields = {
  id: Type.String({ minLength: 1 }),
  source: ToolName,
  configurationSource: Type.String({ description: 'The source of its resources in configuration as code' }),
  createdAt: Timestamp,
  expiresAt: nullable(Timestamp, { description: 'When it is deleted; null once it was applied' }),
  appliedAt: nullable(Timestamp, { description: 'null if it was not applied yet' }),
  files: Type.Array(UploadedFile, { description: 'What was uploaded' }),
  counts: ImportCounts,
}

export const Import = resource('Import', fields)

const ImportObject = resource('ImportObject', {
  kind: Type.String({ description: 'What the other tool calls it' }),
  sourceId: Type.String({ description: 'Its id in the other tool' }),
  name: Type.String({ description: 'Its name in the other tool' }),
  outcome: oneOf(outcomes, { description: 'What becomes of it' }),
  key: nullable(Type.String(), { description: 'Where it is in the document, such as `monitors.shop`' }),
  losses: Type.Array(Type.String(), { description: 'What is lost, a sentence each' }),
  reason: nullable(Type.String(), { description: 'Why it is not imported' }),
  resourceId: nullable(Type.String(), { description: 'The resource that it became; null if it is not imported' }),
  keepsAddress: Type.Boolean({ description: 'Whether the heartbeat address of the other tool works here, too' }),
  needsNewAddress: Type.Boolean({ description: 'Whether the job must report to another address' }),
})

export const ImportReport = resource('ImportReport', {
  ...fields,
  objects: Type.Array(ImportObject, { description: 'A page of the objects of the files' }),
  unreadable: Type.Array(Type.String(), { description: 'What of the files could not be read, a sentence each' }),
  variables: Type.Array(Type.String(), { description: 'Environment variables of the other tool that a plan needs' }),
  pagination: Pagination,
})

export const PlanImport = body('PlanImport', {
  keys: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 20_000,
      description: 'The objects to import, by their `key`. Default: all',
    }),
  ),
  variableValues: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,199}$' }), Type.String({ maxLength: 10_000 }), {
      description: 'Values of the environment variables of the other tool',
    }),
  ),
  alertNow: defaulted(
    Type.Boolean({
      description:
        'Whether contacts that exist are alerted of the imported monitors from the start. Otherwise the monitors are muted until ' +
        '`POST /configuration/finish-import`, the end of a shadow run, or for seven days',
    }),
    false,
  ),
})

export const ApplyImport = body('ApplyImport', {
  planId: Type.String({ minLength: 1, maxLength: 100, description: 'A plan of this import' }),
})
