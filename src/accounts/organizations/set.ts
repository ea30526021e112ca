import { type DbWork, first, q, statement } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'
import type { PlanName } from '../plans/plans.ts'

const update = statement((org: { id: string; plan: string; subscription: 'active' | 'inactive' }) =>
  q
    .updateTable('organizations')
    .set({ plan: org.plan, subscription: org.subscription })
    .where('id', '=', org.id)
    .returningAll(),
)

export interface OrganizationChange {
  readonly plan?: PlanName
  readonly subscription?: 'active' | 'inactive'
}

/** Resources above a smaller plan's limits are kept; no further ones can be created. */
export function* setOrganization(org: OrganizationTable, change: OrganizationChange): DbWork<OrganizationTable> {
  return (yield* first(update, { id: org.id, plan: org.plan, subscription: org.subscription, ...change })) ?? org
}
