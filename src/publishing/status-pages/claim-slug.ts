import { ApiError } from '../../contract/errors.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PageKey } from '../custom-domains/claims.ts'
import { numberedSlug } from './slug.ts'

/** How many slugs one query checks. */
const BATCH = 200

/**
 * False if the slug is in use. Slugs are unique in the whole installation. The row that is inserted first wins; a concurrent
 * insert waits until the first has committed and then finds a conflict.
 */
function* insertSlug({ orgId, pageId }: PageKey, slug: string): DbWork<boolean> {
  const insert = q.insertInto('status_page_slugs').values({ slug, org_id: orgId, page_id: pageId })
  const inserted = insert.onConflict((taken) => taken.column('slug').doNothing()).returning('slug')
  return (yield* execute(inserted)).length === 1
}

/** The ids of the pages that have slugs, by slug. */
export function* slugHolders(slugs: readonly string[]): DbWork<Map<string, string>> {
  const holders = new Map<string, string>()
  for (let at = 0; at < slugs.length; at += BATCH) {
    const some = slugs.slice(at, at + BATCH)
    const rows = yield* execute(q.selectFrom('status_page_slugs').select(['slug', 'page_id']).where('slug', 'in', some))
    for (const row of rows) holders.set(row.slug, row.page_id)
  }
  return holders
}

export function* claimSlug(page: PageKey, slug: string): DbWork<void> {
  if (yield* insertSlug(page, slug)) return
  throw new ApiError('conflict', reason('slug_in_use', { field: 'slug', slug }))
}

export function* releaseSlug({ orgId, pageId }: PageKey, slug: string): DbWork<void> {
  const ofPage = q.deleteFrom('status_page_slugs').where('org_id', '=', orgId).where('page_id', '=', pageId)
  yield* execute(ofPage.where('slug', '=', slug))
}

/** Claims the slug, or the first free one of slug-2, slug-3, … */
export function* claimFreeSlug(page: PageKey, slug: string): DbWork<string> {
  for (let from = 1; ; ) {
    const candidates = Array.from({ length: BATCH }, (_, i) => numberedSlug(slug, from + i))
    const rows = yield* execute(q.selectFrom('status_page_slugs').select('slug').where('slug', 'in', candidates))
    const taken = new Set(rows.map((row) => row.slug))
    const free = candidates.find((candidate) => !taken.has(candidate))
    if (free === undefined) from += BATCH
    else if (yield* insertSlug(page, free)) return free
  }
}
