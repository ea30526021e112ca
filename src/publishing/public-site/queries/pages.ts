import { cacheable, type DbWork, execute, first, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import { type DomainRules, domainVerifiedAt, servedDomainOf } from '../../custom-domains/served.ts'
import type { PageRow } from '../../status-pages/render.ts'

/** A row of status_pages. Its `custom_domain` is the domain on which the page is served, or null. */
export type StoredPage = PageRow & { readonly org_id: string }

const published = () =>
  q.selectFrom('status_pages as p').selectAll('p').select(domainVerifiedAt).where('p.published', '=', 1)

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

/** Undefined also for the domain of a page that is not served there. */
export function* publishedPage(name: SlugOrDomain, rules: DomainRules): DbWork<StoredPage | undefined> {
  if ('slug' in name) return withServedDomain(yield* first(bySlug, { name: name.slug }), rules)
  const page = withServedDomain(yield* first(byDomain, { name: name.domain }), rules)
  return page?.custom_domain === name.domain ? page : undefined
}

function withServedDomain(row: StoredPage | undefined, rules: DomainRules): StoredPage | undefined {
  return row && { ...row, custom_domain: servedDomainOf(row, rules) }
}

/** A page, published or not. */
export function* pageWithKey({ orgId, pageId }: PageKey, rules: DomainRules): DbWork<StoredPage | undefined> {
  const page = q.selectFrom('status_pages').selectAll().select(domainVerifiedAt).where('org_id', '=', orgId)
  return withServedDomain((yield* execute(page.where('id', '=', pageId)))[0], rules)
}
