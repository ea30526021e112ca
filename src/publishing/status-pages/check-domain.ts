import Type from 'typebox'
import { appNetworkOperation, enforceRateLimit } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { startDeadline } from '../../outbound/deadline.ts'
import type { DnsRecordType, QueryDns } from '../../outbound/dns-client.ts'
import { codeOf } from '../../outbound/errors.ts'
import { hostOf } from '../../outbound/urls.ts'
import { constant } from '../../storage/query.ts'
import { judgeDomain, literalAddresses } from './domain.ts'
import { pageOf } from './queries.ts'
import { StatusPageParams } from './schema.ts'

const TIMEOUT_MS = 5 * SECOND_MS
const CHECKS_PER_MINUTE = 20

export const checkDomain = appNetworkOperation('checkDomain', {
  method: 'GET',
  path: '/status-pages/:statusPageId/domain',
  access: 'read',
  tag: 'Status pages',
  summary: 'Look whether the domain of a status page leads here',
  description: 'Asks DNS afresh, for up to 5 seconds. A page without a custom domain is a 409.',
  params: StatusPageParams,
  answer: {
    status: 200,
    schema: resource('DomainCheck', {
      domain: Type.String(),
      cname: nullable(Type.String()),
      addresses: Type.Array(Type.String()),
      pointsHere: Type.Boolean(),
      message: Type.String({ description: 'What is the matter, and which record to make' }),
    }),
    description: 'What DNS says of the domain',
  },
  errors: ['not_found', 'conflict'],
  *prepare({ caller: { orgId }, accounts, now }, { params }) {
    const { custom_domain: domain } = yield* pageOf(orgId, params.statusPageId)
    if (domain === null) throw new ApiError('conflict', 'The status page has no custom domain; set one first')
    enforceRateLimit(accounts, `domain checks ${orgId}`, CHECKS_PER_MINUTE, now)
    return domain
  },
  async run(domain, { baseUrl, queryDns }, signal) {
    using deadline = startDeadline(TIMEOUT_MS, signal)
    const lookUp = (name: string, type: DnsRecordType) => recordsOf(queryDns, name, type, deadline.signal)
    const host = hostOf(new URL(baseUrl))
    const [cnames, addresses, ownAddresses] = await Promise.all([
      lookUp(domain, 'CNAME'),
      addressesOf(domain, lookUp),
      literalAddresses(host) ?? addressesOf(host, lookUp),
    ])
    const cname = cnames?.[0]?.toLowerCase().replace(/\.$/, '') ?? null
    const verdict = judgeDomain(domain, { cname, addresses }, { host, addresses: ownAddresses ?? [] })
    return { domain, cname, addresses: [...(addresses ?? [])], ...verdict }
  },
  save: (_visit, _input, found) => constant(found),
})

type LookUp = (name: string, type: DnsRecordType) => Promise<readonly string[] | null>

/** IPv4 and IPv6 addresses; null if neither lookup was answered. */
async function addressesOf(name: string, lookUp: LookUp): Promise<readonly string[] | null> {
  const [ipv4, ipv6] = await Promise.all([lookUp(name, 'A'), lookUp(name, 'AAAA')])
  return ipv4 === null && ipv6 === null ? null : [...(ipv4 ?? []), ...(ipv6 ?? [])]
}

const NO_RECORDS = new Set(['ENOTFOUND', 'ENODATA'])

/** The records of a name, possibly none; null if no DNS server answered. */
async function recordsOf(
  queryDns: QueryDns,
  name: string,
  type: DnsRecordType,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  try {
    return await queryDns({ name, type, withinMs: TIMEOUT_MS }, signal)
  } catch (error) {
    return NO_RECORDS.has(codeOf(error)) ? [] : null
  }
}
