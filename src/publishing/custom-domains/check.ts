import { isIP } from 'node:net'
import type { Static } from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { type Installation, networkOperation } from '../../contract/operation.ts'
import { enforceRateLimit } from '../../contract/services.ts'
import { startDeadline } from '../../outbound/deadline.ts'
import type { DnsRecordType } from '../../outbound/dns-client.ts'
import { withoutTrailingDots } from '../../outbound/urls.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { claimForUpdate, pageDomainOf } from './claims.ts'
import { findProof, LOOKUP_TIMEOUT_MS, lookUp } from './find-proof.ts'
import { DomainParams, domainJson } from './get.ts'
import { installationHost, isReserved } from './names.ts'
import { type InstallationHost, judgeDomain, literalAddresses } from './points-here.ts'
import { cnameProof, type DnsRecord, type ProofFinding, type ProofQuestion } from './proof.ts'
import { saveCheck } from './save-check.ts'
import { StatusPageDomain } from './schema.ts'

const CHECKS_PER_MINUTE = 20

interface Checked {
  readonly domain: string
  /** Null if the installation asks for no proof of this domain. */
  readonly finding: ProofFinding | null
  readonly dns: Static<typeof StatusPageDomain>['dns']
  /** The CNAME record that also proves the domain, if its value points to this server. */
  readonly combined: DnsRecord | null
}

export const checkDomain = networkOperation({
  id: 'checkDomain',
  extension: true,
  method: 'POST',
  path: '/status-pages/:statusPageId/domain/check',
  access: 'write',
  tag: 'Status pages',
  summary: 'Check the custom domain of a status page',
  description:
    'Looks up the proof and the addresses of the domain, for up to 5 seconds, and saves the result. A page ' +
    'without a custom domain is a 409.',
  params: DomainParams,
  answer: { status: 200, schema: StatusPageDomain, description: 'The custom domain after the check' },
  errors: ['not_found', 'conflict'],
  skipsAudit: true,
  *prepare({ caller: { orgId }, installation, now }, { params }): DbWork<ProofQuestion> {
    const page = yield* pageDomainOf({ orgId, pageId: params.statusPageId })
    const { custom_domain: domain, domain_token: token } = page
    if (domain === null) throw new ApiError('conflict', reason('no_custom_domain'))
    enforceRateLimit(installation, `domain checks ${orgId}`, CHECKS_PER_MINUTE, now)
    return { domain, token, host: installationHost(installation.baseUrl) }
  },
  async run(question: ProofQuestion, installation, signal) {
    const { requiresDomainProof, baseUrl, queryDns } = installation
    const isProofNeeded = requiresDomainProof && !isReserved(question.domain, baseUrl)
    const [finding, addresses] = await Promise.all([
      isProofNeeded ? findProof(question, queryDns, signal) : null,
      findAddresses(question, installation, signal),
    ])
    return { domain: question.domain, finding, ...addresses } satisfies Checked
  },
  *save({ caller: { orgId }, installation, now }, { params }, checked: Checked) {
    const key = { orgId, pageId: params.statusPageId }
    const claim = yield* claimForUpdate(key, checked.domain)
    if (claim !== undefined && checked.finding !== null) yield* saveCheck(claim, checked.finding, now)
    const after = yield* domainJson(key, installation)
    // The domain was changed during the check, or its claim has just ended.
    if (after.domain !== checked.domain) return after
    const { combined, dns } = checked
    const records = combined === null ? [] : [{ purpose: 'ADDRESS_AND_PROOF' as const, ...combined }]
    return { ...after, records: [...after.records, ...records], dns }
  },
})

/** Where the domain leads, and whether a CNAME to the page's own name would lead here. */
async function findAddresses(
  { domain, token, host }: ProofQuestion,
  { queryDns, requiresDomainProof }: Installation,
  signal: AbortSignal,
): Promise<Pick<Checked, 'dns' | 'combined'>> {
  using deadline = startDeadline(LOOKUP_TIMEOUT_MS, signal)
  const look = (name: string, type: DnsRecordType) => lookUp(queryDns, name, type, deadline.signal)
  const combined = requiresDomainProof ? cnameProof(domain, token, host) : null
  const [cnames, addresses, own, combinedAddresses] = await Promise.all([
    look(domain, 'CNAME'),
    addressesOf(domain, look),
    literalAddresses(host) ?? addressesOf(host, look),
    combined === null ? [] : addressesOf(combined.value, look),
  ])
  const [name] = 'records' in cnames ? cnames.records : []
  const cname = name === undefined ? null : withoutTrailingDots(name).toLowerCase()
  const here: InstallationHost = { host, addresses: shown(own) }
  const verdict = judgeDomain(domain, { cname, addresses }, here)
  return {
    dns: { cname, addresses: [...(addresses ?? [])], ...verdict },
    combined: leadsTo(here, combinedAddresses ?? []) ? combined : null,
  }
}

function leadsTo(here: InstallationHost, addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((address) => here.addresses.includes(address))
}

/** Without the note that private addresses are withheld, which must not count as an address that two names share. */
function shown(addresses: readonly string[] | null): readonly string[] {
  return addresses?.filter((address) => isIP(address) !== 0) ?? []
}

type Look = (name: string, type: DnsRecordType) => ReturnType<typeof lookUp>

/** IPv4 and IPv6 addresses; null if neither lookup was answered. */
async function addressesOf(name: string, look: Look): Promise<readonly string[] | null> {
  const [ipv4, ipv6] = await Promise.all([look(name, 'A'), look(name, 'AAAA')])
  if ('error' in ipv4 && 'error' in ipv6) return null
  return [...('records' in ipv4 ? ipv4.records : []), ...('records' in ipv6 ? ipv6.records : [])]
}
