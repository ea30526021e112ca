import { ApiError } from '../../contract/errors.ts'
import type { DbWork } from '../../storage/query.ts'
import { claimDomain, claimForUpdate, claimOn, loseDomain, type PageKey, pageDomainOf } from './claims.ts'
import { canBeTakenOver } from './judge.ts'
import { installationHost } from './names.ts'
import { type ProofFinding, type ProofQuestion, txtProof } from './proof.ts'
import { saveCheck } from './save-check.ts'
import type { DomainRules } from './served.ts'

/** The proof that a page needs to take a domain from another page, with what DNS says. */
export interface Challenge {
  readonly question: ProofQuestion
  readonly finding: ProofFinding
}

/** What to look up before the page claims the domain; null if another page has no unproven claim on it. */
export function* challengeFor(key: PageKey, domain: string, rules: DomainRules): DbWork<ProofQuestion | null> {
  if (!rules.requiresDomainProof) return null
  const claim = yield* claimOn(domain)
  if (claim === undefined || claim.page_id === key.pageId || !canBeTakenOver(claim)) return null
  const { domain_token: token } = yield* pageDomainOf(key)
  return { domain, token, host: installationHost(rules.baseUrl) }
}

/** Claims a domain, also from another page if DNS names this page and not that one. Otherwise a 409. */
export function* claimOrTakeOver(key: PageKey, domain: string, challenge: Challenge | null, now: number): DbWork<void> {
  if (yield* claimDomain(key, domain, now)) return
  if (challenge === null || challenge.question.domain !== domain) throw domainInUse(domain)
  if (challenge.finding.kind !== 'proven') throw domainInUse(domain, howToTakeOver(challenge))
  const holder = yield* claimOn(domain)
  if (holder !== undefined) {
    const holderKey = { orgId: holder.org_id, pageId: holder.page_id }
    const unproven = yield* claimForUpdate(holderKey, domain)
    if (unproven === undefined || !canBeTakenOver(unproven)) throw domainInUse(domain)
    yield* loseDomain(holderKey, domain, 'TAKEN_OVER', now)
  }
  if (!(yield* claimDomain(key, domain, now))) throw domainInUse(domain)
  const claim = yield* claimForUpdate(key, domain)
  if (claim !== undefined) yield* saveCheck(claim, challenge.finding, now)
}

export function domainInUse(domain: string, advice = ''): ApiError {
  return new ApiError('conflict', `The domain ${domain} is in use by another status page${advice}`)
}

function howToTakeOver({ question, finding }: Challenge): string {
  const { name, value } = txtProof(question.domain, question.token)
  const failure = finding.kind === 'unknown' ? ` (${finding.reason})` : ''
  return `, which has not proved that it owns it. If the domain is yours, add the TXT record ${name} with the value ${value} and save again${failure}`
}
