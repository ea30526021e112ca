import { notFound } from '../../contract/errors.ts'
import { cacheable, type DbWork, execute, first, q } from '../../storage/query.ts'
import { domainVerifiedAt } from '../custom-domains/served.ts'
import type { PageRow } from './render.ts'

const columns = [
  'id',
  'name',
  'slug',
  'custom_domain',
  'published',
  'visibility',
  'password_hash',
  'settings',
  'sections',
  'created_at',
  'updated_at',
] as const

/** A query for lists to filter and sort. */
export function selectPages(orgId: string) {
  return q.selectFrom('status_pages').select(columns).select(domainVerifiedAt).where('org_id', '=', orgId)
}

const byId = cacheable(({ orgId, id }: { orgId: string; id: string }) => selectPages(orgId).where('id', '=', id))

export function* pageOf(orgId: string, id: string): DbWork<PageRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('status page')
  return row
}

/** Reads the page and locks it until the end of the transaction. */
export function* pageForUpdate(orgId: string, id: string): DbWork<PageRow> {
  const [row] = yield* execute(selectPages(orgId).where('id', '=', id).forUpdate())
  if (row === undefined) throw notFound('status page')
  return row
}

/** Stores which monitors a page shows; duplicates are ignored. */
export function* linkMonitors(orgId: string, pageId: string, nums: Iterable<number>): DbWork<void> {
  const rows = [...new Set(nums)].map((num) => ({ org_id: orgId, page_id: pageId, num }))
  if (rows.length > 0) yield* execute(q.insertInto('status_page_monitors').values(rows))
}
