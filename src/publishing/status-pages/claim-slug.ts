import { ApiError } from '../../contract/errors.ts'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import { numberedSlug } from './slug.ts'

/**
 * Slugs are unique in the whole installation. The row that is inserted first wins; a concurrent insert waits until the first
 * has committed and then finds a conflict.
 */
interface Claim {
  name: string
  orgId: string
  pageId: string
}

const insertSlug = statement(({ name, orgId, pageId }: Claim) =>
  q
    .insertInto('status_page_slugs')
    .values({ slug: name, org_id: orgId, page_id: pageId })
    .onConflict((taken) => taken.column('slug').doNothing())
    .returning('slug'),
)

const deleteSlug = statement(({ name, orgId, pageId }: Claim) =>
  q.deleteFrom('status_page_slugs').where('slug', '=', name).where('org_id', '=', orgId).where('page_id', '=', pageId),
)

interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

export function* claimSlug(page: PageKey, slug: string): DbWork<void> {
  if ((yield* first(insertSlug, { name: slug, ...page })) !== undefined) return
  throw new ApiError('conflict', `The slug ${slug} is in use; choose another one`)
}

export function* releaseSlug(page: PageKey, slug: string): DbWork<void> {
  yield* run(deleteSlug, { name: slug, ...page })
}

/** How many candidates one query checks, growing fourfold up to the maximum. */
const FIRST_BATCH = 8
const MAX_BATCH = 512

/** Claims the slug, or the first free one of slug-2, slug-3, … */
export function* claimFreeSlug(page: PageKey, slug: string): DbWork<string> {
  for (let from = 1, count = FIRST_BATCH; ; ) {
    const candidates = Array.from({ length: count }, (_, i) => numberedSlug(slug, from + i))
    const free = (yield* freeAmong(candidates))[0]
    if (free === undefined) {
      from += count
      count = Math.min(count * 4, MAX_BATCH)
    } else if ((yield* first(insertSlug, { name: free, ...page })) !== undefined) return free
  }
}

function* freeAmong(slugs: readonly string[]): DbWork<string[]> {
  const rows = yield* execute(q.selectFrom('status_page_slugs').select('slug').where('slug', 'in', slugs))
  const taken = new Set(rows.map(({ slug }) => slug))
  return slugs.filter((slug) => !taken.has(slug))
}
