import { cacheable, type DbWork, first, q, statement } from '../../../storage/query.ts'
import type { PageRow } from '../../status-pages/render.ts'

/** A row of status_pages. */
export type StoredPage = PageRow & { readonly org_id: string }

export interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

const published = () => q.selectFrom('status_pages as p').selectAll('p').where('p.published', '=', 1)

const bySlug = cacheable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_slugs as s', (on) => on.onRef('s.org_id', '=', 'p.org_id').onRef('s.page_id', '=', 'p.id'))
    .where('s.slug', '=', name),
)

const byDomain = cacheable(({ name }: { name: string }) =>
  published()
    .innerJoin('status_page_domains as d', (on) =>
      on.onRef('d.org_id', '=', 'p.org_id').onRef('d.page_id', '=', 'p.id'),
    )
    .where('d.domain', '=', name),
)

/** Both are unique in the installation, so they identify a page without its organization. */
export type SlugOrDomain = { readonly slug: string } | { readonly domain: string }

export function* publishedPage(name: SlugOrDomain): DbWork<StoredPage | undefined> {
  return 'slug' in name ? yield* first(bySlug, { name: name.slug }) : yield* first(byDomain, { name: name.domain })
}

const byKey = statement(({ orgId, pageId }: PageKey) =>
  q.selectFrom('status_pages').selectAll().where('org_id', '=', orgId).where('id', '=', pageId),
)

/** A page, published or not. */
export function* pageWithKey(pageKey: PageKey): DbWork<StoredPage | undefined> {
  return yield* first(byKey, pageKey)
}
