import { DOCUMENT_BODY_BYTES, operation } from '../contract/operation.ts'
import { planAndStore } from './plan-and-store.ts'
import { ConfigurationPlan, PlanConfiguration } from './schema.ts'

export const planConfiguration = operation({
  id: 'planConfiguration',
  method: 'POST',
  path: '/configuration/plan',
  access: 'write',
  role: 'VIEWER',
  readOnlyKeys: true,
  extension: true,
  tag: 'Configuration',
  bulk: true,
  skipsAudit: true,
  summary: 'Plan a configuration document',
  description:
    'Compares a document with what exists and returns what applying it would change. Nothing changes but the plan, which is stored ' +
    'encrypted for an hour. Read-only keys may plan. Only resources of the source of the document are touched. ' +
    'The body may be compressed with gzip.',
  body: PlanConfiguration,
  bodyLimitBytes: DOCUMENT_BODY_BYTES,
  isDocument: true,
  answer: { status: 200, schema: ConfigurationPlan, description: 'The plan' },
  handle: (context, { body: { document, delete: deletes } }) => planAndStore(context, { document, deletes }),
})
