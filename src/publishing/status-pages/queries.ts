import { notFound } from '../../contract/errors.ts'
import { type DbWork, first, keepable, q, runEach, statement } from '../../storage/query.ts'
import type { PageRow } from './render.ts'

interface Place {
  orgId: string
  id: string
}

const shown = [
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

/** For lists whose filters come with the request. */
export function pagesOf(orgId: string) {
  return q.selectFrom('status_pages').select(shown).where('org_id', '=', orgId)
}

const byId = keepable(({ orgId, id }: Place) => pagesOf(orgId).where('id', '=', id))

export function* pageOf(orgId: string, id: string): DbWork<PageRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('status page')
  return row
}

/** What a change needs to know of a page. */
export interface PageToChange extends PageRow {
  readonly seq: number
}

const forChange = statement(({ orgId, id }: Place) => pagesOf(orgId).select('seq').where('id', '=', id).forUpdate())

/** The page, held until the end of the transaction. */
export function* pageToChange(orgId: string, id: string): DbWork<PageToChange> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('status page')
  return row
}

const insertLink = statement(({ orgId, pageId, num }: { orgId: string; pageId: string; num: number }) =>
  q.insertInto('status_page_monitors').values({ org_id: orgId, page_id: pageId, num }),
)

/** Notes which monitors a page shows. */
export function* linkMonitors(orgId: string, pageId: string, nums: Iterable<number>): DbWork<void> {
  yield* runEach(
    insertLink,
    [...new Set(nums)].map((num) => ({ orgId, pageId, num })),
  )
}
