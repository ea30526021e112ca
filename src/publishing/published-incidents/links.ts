import { all, type DbWork, q, run, runEach, statement } from '../../storage/query.ts'
import type { AffectedStatus } from '../../storage/schema-statuspages.ts'
import type { Affected } from './schema.ts'

interface Owner {
  readonly orgId: string
  readonly id: string
}

const dropPages = statement(({ orgId, id }: Owner) =>
  q.deleteFrom('published_incident_pages').where('org_id', '=', orgId).where('published_id', '=', id),
)

const insertPage = statement((p: Owner & { pageId: string; place: number }) =>
  q
    .insertInto('published_incident_pages')
    .values({ org_id: p.orgId, published_id: p.id, page_id: p.pageId, place: p.place }),
)

/** Puts a published incident on these pages and takes it off all others. */
export function* putOnPages(owner: Owner, pageIds: readonly string[]): DbWork<void> {
  yield* run(dropPages, owner)
  yield* runEach(
    insertPage,
    pageIds.map((pageId, place) => ({ ...owner, pageId, place })),
  )
}

const dropMonitors = statement(({ orgId, id }: Owner) =>
  q.deleteFrom('published_incident_monitors').where('org_id', '=', orgId).where('published_id', '=', id),
)

const insertMonitor = statement((m: Owner & { num: number; status: AffectedStatus }) =>
  q
    .insertInto('published_incident_monitors')
    .values({ org_id: m.orgId, published_id: m.id, num: m.num, status: m.status }),
)

/** Notes what a published incident says of which monitor, and nothing of any other. */
export function* noteAffected(
  owner: Owner,
  affected: readonly Affected[],
  nums: ReadonlyMap<string, number>,
): DbWork<void> {
  yield* run(dropMonitors, owner)
  yield* runEach(
    insertMonitor,
    affected.map(({ monitorId, status }) => ({ ...owner, num: nums.get(monitorId) as number, status })),
  )
}

const restore = statement(({ orgId, id }: Owner) =>
  q
    .updateTable('published_incident_monitors')
    .set({ status: 'OPERATIONAL' })
    .where('org_id', '=', orgId)
    .where('published_id', '=', id),
)

/** What was said of its monitors is over. */
export function* noteAllOperational(owner: Owner): DbWork<void> {
  yield* run(restore, owner)
}

const pageIds = statement(({ orgId, id }: Owner) =>
  q
    .selectFrom('published_incident_pages')
    .select('page_id')
    .where('org_id', '=', orgId)
    .where('published_id', '=', id)
    .orderBy('place'),
)

export function* pageIdsOf(owner: Owner): DbWork<string[]> {
  return (yield* all(pageIds, owner)).map(({ page_id: pageId }) => pageId)
}
