import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, oneOf, resource } from '../../contract/schema.ts'
import { countInList } from '../../storage/list-index.ts'
import { planNamed, planNames } from '../plans/plans.ts'

const Meter = resource('UsageMeter', {
  used: Type.Integer(),
  limit: nullable(Type.Integer(), { description: 'Null where there is none' }),
})

export const getUsage = appOperation('getUsage', {
  method: 'GET',
  path: '/usage',
  access: 'read',
  tag: 'Insight',
  summary: 'Get the plan, and how much of it is used',
  answer: {
    status: 200,
    schema: resource('Usage', {
      plan: oneOf(planNames),
      subscription: oneOf(['active', 'inactive']),
      fastestIntervalSeconds: Type.Integer(),
      rawResultsDays: Type.Integer(),
      monitors: Meter,
      statusPages: Meter,
      webhookEndpoints: Meter,
    }),
    description: 'The plan and what is used of it',
  },
  *handle({ caller: { orgId, plan: named, subscription } }) {
    const plan = planNamed(named)
    return {
      plan: plan.name,
      subscription,
      fastestIntervalSeconds: plan.fastestIntervalSeconds,
      rawResultsDays: plan.rawResultsDays,
      monitors: meter(yield* countInList(orgId, 'monitor'), plan.monitors),
      statusPages: meter(yield* countInList(orgId, 'statuspage'), plan.statusPages),
      webhookEndpoints: meter(yield* countInList(orgId, 'endpoint'), plan.webhookEndpoints),
    }
  },
})

function meter(used: number, most: number) {
  return { used, limit: Number.isFinite(most) ? most : null }
}
