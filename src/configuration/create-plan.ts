import type { Static } from 'typebox'
import { invalid } from '../contract/errors.ts'
import { DOCUMENT_BODY_BYTES, type OperationContext, operation } from '../contract/operation.ts'
import type { Json } from '../lib/json.ts'
import type { DbWork } from '../storage/query.ts'
import { ChangeList } from './change-list.ts'
import { comparePortions, type PlanInput } from './plan.ts'
import { readPlanBody } from './read-plan-body.ts'
import { ConfigurationPlan, PlanConfiguration } from './schema.ts'
import { storePlan } from './stored-plans.ts'

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
  document: readPlanBody,
  answer: { status: 200, schema: ConfigurationPlan, description: 'The plan' },
  handle: (context, { body: { document, delete: deletes } }) => planAndStore(context, { document, deletes }),
})

/** Plans a document and stores the plan. Throws all faults of the document together. */
export function* planAndStore(
  context: OperationContext,
  wanted: PlanInput,
): DbWork<Json<Static<typeof ConfigurationPlan>>> {
  const list = new ChangeList()
  const { faults, digest } = yield* comparePortions(context, wanted, function* (changes) {
    list.add(changes)
    yield* []
  })
  if (faults.length > 0) throw invalid(faults)
  return list.json({ planId: yield* storePlan(context, { wanted, digest }) })
}
