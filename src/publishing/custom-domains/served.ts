import { sql } from 'kysely'
import { isReserved } from './names.ts'

/** What decides whether a page is served on its custom domain, besides the claim itself. */
export interface DomainRules {
  /** The public URL of the installation without a trailing slash. */
  readonly baseUrl: string
  /** With open sign-up, or by PHAROS_DOMAIN_PROOF. */
  readonly requiresDomainProof: boolean
}

export interface DomainColumns {
  readonly custom_domain: string | null
  /** Since when the domain is proven; null if it is not. */
  readonly domain_verified_at: number | null
}

/** `domain_verified_at` for queries on status_pages. Page ids are unique in the installation. */
export const domainVerifiedAt = sql<number | null>`(
  select claim.verified_at from status_page_domains as claim where claim.domain = custom_domain and claim.page_id = id
)`.as('domain_verified_at')

/** The domain on which a page is served; null if it has none, or one that is reserved or not proven. */
export function servedDomainOf(page: DomainColumns, { baseUrl, requiresDomainProof }: DomainRules): string | null {
  const { custom_domain: domain, domain_verified_at: verifiedAt } = page
  if (domain === null || isReserved(domain, baseUrl)) return null
  return requiresDomainProof && verifiedAt === null ? null : domain
}
