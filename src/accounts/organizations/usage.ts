import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { countInList } from '../../storage/list-index.ts'
import { finiteLimit, planNamed, planNames } from '../plans/plans.ts'

const PlanUsage = resource('UsageMeter', {
  used: Type.Integer(),
  limit: nullable(Type.Integer(), { description: 'Null if there is none' }),
})

export const getUsage = operation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the plan and its usage',
  description: 'How much of what the plan allows is in use.',
  answer: {
    status: 200,
    schema: resource('Usage', {
      plan: oneOf(planNames),
      subscription: oneOf(['ACTIVE', 'INACTIVE'] as const, { description: 'INACTIVE: nothing can be changed' }),
      fastestIntervalSeconds: Type.Integer(),
      rawResultsDays: Type.Integer({ description: 'For how many days check results are kept' }),
      monitors: PlanUsage,
      statusPages: PlanUsage,
      webhookEndpoints: PlanUsage,
      publishedIncidents: PlanUsage,
      maintenanceWindows: PlanUsage,
    }),
    description: 'The plan and its usage',
  },
  *handle({ caller: { orgId, plan: named, subscription } }) {
    const plan = planNamed(named)
    return {
      plan: plan.name,
      subscription: subscription.toUpperCase() as Uppercase<typeof subscription>,
      fastestIntervalSeconds: plan.fastestIntervalSeconds,
      rawResultsDays: plan.rawResultsDays,
      monitors: usageOf(yield* countInList(orgId, 'monitor'), plan.monitors),
      statusPages: usageOf(yield* countInList(orgId, 'statuspage'), plan.statusPages),
      webhookEndpoints: usageOf(yield* countInList(orgId, 'endpoint'), plan.webhookEndpoints),
      publishedIncidents: usageOf(yield* countInList(orgId, 'publishedincident'), plan.publishedIncidents),
      maintenanceWindows: usageOf(yield* countInList(orgId, 'maintenance'), plan.maintenanceWindows),
    }
  },
})

function usageOf(used: number, limit: number) {
  return { used, limit: finiteLimit(limit) }
}
