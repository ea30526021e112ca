import type { Static } from 'typebox'
import { invalid } from '../contract/errors.ts'
import type { OperationContext } from '../contract/operation.ts'
import type { Json } from '../lib/json.ts'
import type { DbWork } from '../storage/query.ts'
import { ChangeList } from './change-list.ts'
import { comparePortions, type PlanInput } from './plan.ts'
import type { ConfigurationPlan } from './schema.ts'
import { storePlan } from './stored-plans.ts'

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
