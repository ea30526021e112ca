import type { Static } from 'typebox'
import { planLimitReached, planNamed } from '../accounts/plans/plans.ts'
import type { LimitedNoun } from '../contract/errors.ts'
import { invalid } from '../contract/errors.ts'
import { DOCUMENT_BODY_BYTES, type OperationContext, operation } from '../contract/operation.ts'
import type { Json } from '../lib/json.ts'
import { commitPortion, type DbWork } from '../storage/query.ts'
import { ChangeList } from './change-list.ts'
import { deletedMonitors, needsConfirmation } from './confirm-deletes.ts'
import { limitedKinds, Refusals } from './find-refusals.ts'
import { kinds } from './kinds/definitions.ts'
import { comparePortions, type PlanInput, type PlannedChange } from './plan.ts'
import { readPlanBody } from './read-plan-body.ts'
import { ConfigurationPlan, PlanConfiguration } from './schema.ts'
import type { SplitDocument } from './split-document.ts'
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
    'encrypted for an hour. What applying it would refuse because of other resources or limits is a fault already. Read-only keys may plan. Only resources of the source of the document are touched. ' +
    'The body may be compressed with gzip.',
  body: PlanConfiguration,
  bodyLimitBytes: DOCUMENT_BODY_BYTES,
  document: readPlanBody,
  answer: { status: 200, schema: ConfigurationPlan, description: 'The plan' },
  errors: ['plan_limit'],
  handle: (context, { body: { document, delete: deletes } }) => planAndStore(context, { document, deletes }),
})

/** Throws before anything is read if the document has more resources of a kind than the organization may have. */
function requireRoom({ caller }: OperationContext, { chunks }: SplitDocument): void {
  const plan = planNamed(caller.plan)
  for (const kind of limitedKinds) {
    const count = chunks.reduce((sum, chunk) => sum + (chunk.kind === kind ? chunk.count : 0), 0)
    if (count > plan[kind]) throw planLimitReached(plan, plan[kind], kinds[kind].noun as LimitedNoun)
  }
}

/** Plans a document and stores the plan. Throws all faults of the document together. */
export function* planAndStore(
  context: OperationContext,
  wanted: PlanInput,
): DbWork<Json<Static<typeof ConfigurationPlan>>> {
  requireRoom(context, wanted.document)
  const list = new ChangeList()
  const refusals = new Refusals(context)
  let deletes = 0
  function* receive(changes: readonly PlannedChange[]): DbWork<void> {
    list.add(changes)
    refusals.add(changes)
    deletes += deletedMonitors(changes)
    yield* []
  }
  // Nothing is changed, and applying the plan compares again: others may write meanwhile.
  const compared = yield* comparePortions(context, wanted, receive, { rest: commitPortion })
  const faults = [...compared.faults, ...(yield* refusals.find())]
  if (faults.length > 0) throw invalid(faults)
  const { digest } = compared
  const isLarge = needsConfirmation(deletes, compared.managedMonitors)
  return list.json({
    planId: yield* storePlan(context, { wanted, digest }),
    ...(isLarge && { confirmDeletes: deletes }),
  })
}
