import { notFound } from '../../contract/errors.ts'
import { cacheable, type DbWork, first, q, runEach, statement } from '../../storage/query.ts'
import { domainVerifiedAt } from '../custom-domains/served.ts'
import type { PageRow } from './render.ts'

interface PageKey {
  orgId: string
  id: string
}

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

const byId = cacheable(({ orgId, id }: PageKey) => selectPages(orgId).where('id', '=', id))

export function* pageOf(orgId: string, id: string): DbWork<PageRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('status page')
  return row
}

const forUpdate = statement(({ orgId, id }: PageKey) => selectPages(orgId).where('id', '=', id).forUpdate())

/** Reads the page and locks it until the end of the transaction. */
export function* pageForUpdate(orgId: string, id: string): DbWork<PageRow> {
  const row = yield* first(forUpdate, { orgId, id })
  if (row === undefined) throw notFound('status page')
  return row
}

const insertLink = statement(({ orgId, pageId, num }: { orgId: string; pageId: string; num: number }) =>
  q.insertInto('status_page_monitors').values({ org_id: orgId, page_id: pageId, num }),
)

/** Stores which monitors a page shows; duplicates are ignored. */
export function* linkMonitors(orgId: string, pageId: string, nums: Iterable<number>): DbWork<void> {
  yield* runEach(
    insertLink,
    [...new Set(nums)].map((num) => ({ orgId, pageId, num })),
  )
}
