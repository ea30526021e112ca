import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { DbWork } from '../../storage/query.ts'
import type { DomainClaimTable } from '../../storage/schema/status-pages.ts'
import { claimOn, lostDomainOf, type PageDomain, type PageKey, pageDomainOf } from './claims.ts'
import { GRACE_MS } from './judge.ts'
import { installationHost, isReserved } from './names.ts'
import { addressRecords, txtProof } from './proof.ts'
import { type DomainState, StatusPageDomain } from './schema.ts'
import type { DomainRules } from './served.ts'

export const DomainParams = Type.Object({ statusPageId: Type.String({ minLength: 1 }) })

export const getDomain = operation({
  id: 'getDomain',
  extension: true,
  method: 'GET',
  path: '/status-pages/:statusPageId/domain',
  access: 'read',
  tag: 'Status pages',
  summary: 'Get the state of the custom domain of a status page',
  description: 'Which DNS records to create, and what the last check found. Makes no DNS lookup.',
  params: DomainParams,
  answer: { status: 200, schema: StatusPageDomain, description: 'The custom domain' },
  errors: ['not_found'],
  *handle({ caller: { orgId }, installation }, { params }) {
    return yield* domainJson({ orgId, pageId: params.statusPageId }, installation)
  },
})

type Rendered = Static<typeof StatusPageDomain>

export function* domainJson(key: PageKey, rules: DomainRules): DbWork<Rendered> {
  const page = yield* pageDomainOf(key)
  const { custom_domain: domain } = page
  const claim = domain === null ? undefined : yield* claimOn(domain)
  const lost = yield* lostDomainOf(key)
  const state = stateOf(domain, claim, rules)
  const isWaiting = state === 'WAITING' || state === 'UNPROVEN'
  const isProofShown = isWaiting || state === 'VERIFIED' || state === 'FAILING'
  const failingSince = isProofShown ? (claim?.failing_since ?? null) : null
  return {
    domain,
    state,
    isServed: state === 'NOT_REQUIRED' || state === 'VERIFIED' || state === 'FAILING',
    records: domain === null || state === 'RESERVED' ? [] : recordsFor(domain, page, rules),
    verifiedAt: isProofShown ? isoTimestampOrNull(claim?.verified_at) : null,
    checkedAt: isProofShown ? isoTimestampOrNull(claim?.checked_at) : null,
    failingSince: isoTimestampOrNull(failingSince),
    servedUntil: state === 'FAILING' && failingSince !== null ? isoTimestampOrNull(failingSince + GRACE_MS) : null,
    expiresAt: isWaiting ? isoTimestampOrNull(claim?.expires_at) : null,
    found: isProofShown ? (parseStored(claim?.found ?? '[]') as string[]) : [],
    checkError: isProofShown ? (claim?.check_error ?? null) : null,
    lost: lost === undefined ? null : { domain: lost.domain, reason: lost.reason, at: isoTimestamp(lost.lost_at) },
    dns: null,
  }
}

function stateOf(domain: string | null, claim: DomainClaimTable | undefined, rules: DomainRules): DomainState {
  if (domain === null) return 'NONE'
  if (isReserved(domain, rules.baseUrl)) return 'RESERVED'
  if (!rules.requiresDomainProof) return 'NOT_REQUIRED'
  const isFailing = (claim?.failing_since ?? null) !== null
  if ((claim?.verified_at ?? null) === null) return isFailing ? 'UNPROVEN' : 'WAITING'
  return isFailing ? 'FAILING' : 'VERIFIED'
}

function recordsFor(domain: string, { domain_token: token }: PageDomain, rules: DomainRules): Rendered['records'] {
  const address = addressRecords(domain, installationHost(rules.baseUrl)).map((record) => ({
    purpose: 'ADDRESS' as const,
    ...record,
  }))
  if (!rules.requiresDomainProof) return address
  return [...address, { purpose: 'PROOF', ...txtProof(domain, token) }]
}
