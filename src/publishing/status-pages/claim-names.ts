import { ApiError } from '../../contract/errors.ts'
import { type DbWork, execute, first, q, run, statement } from '../../storage/query.ts'
import { numbered } from './slug.ts'

/**
 * Slugs and domains are unique on the installation. Whoever inserts the row has the name; who comes second waits until
 * the first has committed, and then finds it taken.
 */
interface Named {
  name: string
  orgId: string
  pageId: string
}

const takeSlug = statement(({ name, orgId, pageId }: Named) =>
  q
    .insertInto('status_page_slugs')
    .values({ slug: name, org_id: orgId, page_id: pageId })
    .onConflict((taken) => taken.column('slug').doNothing())
    .returning('slug'),
)

const takeDomain = statement(({ name, orgId, pageId }: Named) =>
  q
    .insertInto('status_page_domains')
    .values({ domain: name, org_id: orgId, page_id: pageId })
    .onConflict((taken) => taken.column('domain').doNothing())
    .returning('domain'),
)

const dropSlug = statement(({ name, orgId, pageId }: Named) =>
  q.deleteFrom('status_page_slugs').where('slug', '=', name).where('org_id', '=', orgId).where('page_id', '=', pageId),
)

const dropDomain = statement(({ name, orgId, pageId }: Named) =>
  q
    .deleteFrom('status_page_domains')
    .where('domain', '=', name)
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId),
)

interface Owner {
  readonly orgId: string
  readonly pageId: string
}

export function* claimSlug(owner: Owner, slug: string): DbWork<void> {
  if ((yield* first(takeSlug, { name: slug, ...owner })) !== undefined) return
  throw new ApiError('conflict', `The slug ${slug} is in use; choose another one`)
}

export function* claimDomain(owner: Owner, domain: string): DbWork<void> {
  if ((yield* first(takeDomain, { name: domain, ...owner })) !== undefined) return
  throw new ApiError('conflict', `The domain ${domain} is in use by another status page`)
}

export function* releaseSlug(owner: Owner, slug: string): DbWork<void> {
  yield* run(dropSlug, { name: slug, ...owner })
}

export function* releaseDomain(owner: Owner, domain: string): DbWork<void> {
  yield* run(dropDomain, { name: domain, ...owner })
}

const FEW = 8
const MANY = 512

/** Claims the slug, or the first that is free with a number behind it. */
export function* claimFreeSlug(owner: Owner, slug: string): DbWork<string> {
  for (let from = 1, count = FEW; ; ) {
    const candidates = Array.from({ length: count }, (_, i) => numbered(slug, from + i))
    const free = (yield* freeAmong(candidates))[0]
    if (free === undefined) {
      from += count
      count = Math.min(count * 4, MANY)
    } else if ((yield* first(takeSlug, { name: free, ...owner })) !== undefined) return free
  }
}

function* freeAmong(slugs: readonly string[]): DbWork<string[]> {
  const rows = yield* execute(q.selectFrom('status_page_slugs').select('slug').where('slug', 'in', slugs))
  const taken = new Set(rows.map(({ slug }) => slug))
  return slugs.filter((slug) => !taken.has(slug))
}
