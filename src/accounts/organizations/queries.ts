import { all, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'

const bySlugOrId = statement(({ name }: { name: string }) =>
  q
    .selectFrom('organizations')
    .selectAll()
    .where((is) => is.or([is('id', '=', name), is('slug', '=', name)])),
)

export function* organizationWithIdOrSlug(name: string): DbWork<OrganizationTable | undefined> {
  return yield* first(bySlugOrId, { name })
}

const anyOrganization = statement((_: object) => q.selectFrom('organizations').select('id').limit(1))

export function* hasOrganizations(): DbWork<boolean> {
  return (yield* first(anyOrganization, {})) !== undefined
}

const page = statement(({ after, limit }: { after: string; limit: number }) =>
  q.selectFrom('organizations').selectAll().where('id', '>', after).orderBy('id').limit(limit),
)

/** One page in order of creation, starting after the id `after`. */
export function* organizationsAfter(after: string, limit: number): DbWork<readonly OrganizationTable[]> {
  return yield* all(page, { after, limit })
}

const oldest = statement((_: object) => q.selectFrom('organizations').selectAll().orderBy('id').limit(1))

/** The one created at the first start. */
export function* firstOrganization(): DbWork<OrganizationTable | undefined> {
  return yield* first(oldest, {})
}

const rename = statement(({ id, name }: { id: string; name: string }) =>
  q.updateTable('organizations').set({ name }).where('id', '=', id),
)

export function* renameOrganization(id: string, name: string): DbWork<void> {
  yield* run(rename, { id, name })
}

const setZone = statement(({ id, timezone }: { id: string; timezone: string }) =>
  q.updateTable('organizations').set({ timezone }).where('id', '=', id),
)

export function* setOrganizationTimeZone(id: string, timezone: string): DbWork<void> {
  yield* run(setZone, { id, timezone })
}
