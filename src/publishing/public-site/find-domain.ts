import { FRESH_MS, type PageCacheOptions } from './page-cache.ts'
import { publishedPage } from './queries/pages.ts'

const MAX_REMEMBERED = 1_000

type Options = Pick<PageCacheOptions, 'database' | 'baseUrl' | 'requiresDomainProof'>

/**
 * Finds the slug of the page that is served on a domain. Answers are remembered as long as pages are: clients of the API may call
 * the server by a name that is not the domain of a page, with every request.
 */
export function domainFinder(options: Options): (domain: string) => Promise<string | undefined> {
  const remembered = new Map<string, { readonly slug: string | undefined; readonly until: number }>()
  return async (domain) => {
    const known = remembered.get(domain)
    if (known !== undefined && performance.now() < known.until) return known.slug
    const { database, baseUrl, requiresDomainProof } = options
    const page = await database.read(publishedPage({ domain }, { baseUrl: baseUrl(), requiresDomainProof }))
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(domain, { slug: page?.slug, until: performance.now() + FRESH_MS })
    return page?.slug
  }
}
