import { type DbWork, execute, q } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'

export function* organizationWithIdOrSlug(name: string): DbWork<OrganizationTable | undefined> {
  const organizations = q.selectFrom('organizations').selectAll()
  const [row] = yield* execute(organizations.where((is) => is.or([is('id', '=', name), is('slug', '=', name)])))
  return row
}

/** One page in order of creation, starting after the id `after`. */
export function* organizationsAfter(after: string, limit: number): DbWork<readonly OrganizationTable[]> {
  return yield* execute(q.selectFrom('organizations').selectAll().where('id', '>', after).orderBy('id').limit(limit))
}

/** The one created at the first start. */
export function* firstOrganization(): DbWork<OrganizationTable | undefined> {
  const [oldest] = yield* organizationsAfter('', 1)
  return oldest
}

export type OrganizationChange = Partial<Pick<OrganizationTable, 'name' | 'timezone' | 'plan' | 'subscription'>>

/** There must be a change. Resources above a smaller plan's limits are kept; no further ones can be created. */
export function* changeOrganization(id: string, change: OrganizationChange): DbWork<void> {
  yield* execute(q.updateTable('organizations').set(change).where('id', '=', id))
}
