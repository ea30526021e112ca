import { notFound } from '../../contract/errors.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { resourceKindOf } from '../../lib/ids.ts'
import { type DbWork, execute, notifyWatchers, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { DomainClaimTable, LostDomainReason, LostDomainTable } from '../../storage/schema/status-pages.ts'

export interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

/**
 * False if another page has the domain, which is unique in the whole installation. The row that is inserted first wins; a
 * concurrent insert waits until the first has committed and then finds a conflict. The claim is due for a check at once.
 */
export function* claimDomain({ orgId, pageId }: PageKey, domain: string, now: number): DbWork<boolean> {
  const claimed = yield* execute(
    q
      .insertInto('status_page_domains')
      .values({ domain, org_id: orgId, page_id: pageId, next_check_at: now })
      .onConflict((taken) => taken.column('domain').doNothing())
      .returning('domain'),
  )
  if (claimed.length === 0) return false
  yield* execute(q.deleteFrom('status_page_lost_domains').where('org_id', '=', orgId).where('page_id', '=', pageId))
  return true
}

export function* releaseDomain({ orgId, pageId }: PageKey, domain: string): DbWork<void> {
  yield* execute(
    q
      .deleteFrom('status_page_domains')
      .where('domain', '=', domain)
      .where('org_id', '=', orgId)
      .where('page_id', '=', pageId),
  )
}

const select = (domain: string) => q.selectFrom('status_page_domains').selectAll().where('domain', '=', domain)

/** The claim on a domain, by whichever page. */
export function* claimOn(domain: string): DbWork<DomainClaimTable | undefined> {
  return (yield* execute(select(domain)))[0]
}

/** How many domains one query checks. */
const BATCH = 200

/** The ids of the pages that have domains, by domain. */
export function* domainHolders(domains: readonly string[]): DbWork<Map<string, string>> {
  const holders = new Map<string, string>()
  for (let at = 0; at < domains.length; at += BATCH) {
    const some = domains.slice(at, at + BATCH)
    const rows = yield* execute(
      q.selectFrom('status_page_domains').select(['domain', 'page_id']).where('domain', 'in', some),
    )
    for (const row of rows) holders.set(row.domain, row.page_id)
  }
  return holders
}

/** The claim of this page on a domain. The page and the claim are locked until the end of the transaction. */
export function* claimForUpdate(key: PageKey, domain: string): DbWork<DomainClaimTable | undefined> {
  // In the same order as updating and deleting a page.
  yield* execute(selectPage(key).forUpdate())
  const [claim] = yield* execute(select(domain).forUpdate())
  return claim?.org_id === key.orgId && claim.page_id === key.pageId ? claim : undefined
}

export interface PageDomain {
  readonly id: string
  readonly custom_domain: string | null
  readonly domain_token: string
}

const selectPage = ({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_pages')
    .select(['id', 'custom_domain', 'domain_token'])
    .where('org_id', '=', orgId)
    .where('id', '=', pageId)

export function* findPageDomain(key: PageKey): DbWork<PageDomain | undefined> {
  return (yield* execute(selectPage(key)))[0]
}

/** The domain and the token of a page; a 404 if there is no such page. */
export function* pageDomainOf(key: PageKey): DbWork<PageDomain> {
  const row = yield* findPageDomain(key)
  if (row === undefined) throw notFound('status page')
  return row
}

/**
 * Takes a domain from a page that cannot prove it. The page stays, at its slug, and its owner sees what happened. The caller
 * has locked the page and the claim.
 */
export function* loseDomain(key: PageKey, domain: string, reason: LostDomainReason, now: number): DbWork<void> {
  yield* releaseDomain(key, domain)
  const { orgId, pageId } = key
  yield* execute(
    q
      .updateTable('status_pages')
      .set({ custom_domain: null, updated_at: now })
      .where('org_id', '=', orgId)
      .where('id', '=', pageId)
      .where('custom_domain', '=', domain),
  )
  const loss = { domain, reason, lost_at: now }
  yield* execute(
    q
      .insertInto('status_page_lost_domains')
      .values({ org_id: orgId, page_id: pageId, ...loss })
      .onConflict((known) => known.columns(['org_id', 'page_id']).doUpdateSet(loss)),
  )
  yield* notifyPage(key)
}

/** Open dashboards show the new state. */
export function* notifyPage({ orgId, pageId }: PageKey): DbWork<void> {
  yield* notifyWatchers({ orgId, kind: resourceKindOf(pageId), id: pageId })
}

/** The domain that the page lost last, for as long as that is of interest. */
export function* lostDomainOf({ orgId, pageId }: PageKey): DbWork<LostDomainTable | undefined> {
  const losses = q.selectFrom('status_page_lost_domains').selectAll().where('org_id', '=', orgId)
  return (yield* execute(losses.where('page_id', '=', pageId)))[0]
}

export const pruneLostDomains = pruning({
  table: 'status_page_lost_domains',
  key: ['org_id', 'page_id'],
  by: 'lost_at',
  keptMs: 30 * DAY_MS,
})

/** For an installation that requires no proofs: if it does again later, every claim has its full time from then on. */
export function* resetDeadlines(): DbWork<void> {
  yield* execute(
    q
      .updateTable('status_page_domains')
      .set({ expires_at: null, failing_since: null, next_check_at: 0 })
      .where((is) => is.or([is('expires_at', 'is not', null), is('failing_since', 'is not', null)])),
  )
}
