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
import { judgeDomain, plainAddresses } from './domain.ts'
import { pageOf } from './queries.ts'
import { StatusPageParams } from './schema.ts'

const WITHIN_MS = 5 * SECOND_MS
const CHECKS_A_MINUTE = 20

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
    enforceRateLimit(accounts, `domain checks ${orgId}`, CHECKS_A_MINUTE, now)
    return domain
  },
  async run(domain, { baseUrl, queryDns: askDns }, signal) {
    using deadline = startDeadline(WITHIN_MS, signal)
    const records = (name: string, type: DnsRecordType) => lookUp(queryDns, name, type, deadline.signal)
    const host = hostOf(new URL(baseUrl))
    const [cnames, addresses, ours] = await Promise.all([
      records(domain, 'CNAME'),
      addressesOf(domain, records),
      plainAddresses(host) ?? addressesOf(host, records),
    ])
    const cname = cnames?.[0]?.toLowerCase().replace(/\.$/, '') ?? null
    const verdict = judgeDomain(domain, { cname, addresses }, { host, addresses: ours ?? [] })
    return { domain, cname, addresses: [...(addresses ?? [])], ...verdict }
  },
  save: (_visit, _input, found) => constant(found),
})

type Records = (name: string, type: DnsRecordType) => Promise<readonly string[] | null>

/** Of both families; one of them is enough. */
async function addressesOf(name: string, records: Records): Promise<readonly string[] | null> {
  const [ipv4, ipv6] = await Promise.all([records(name, 'A'), records(name, 'AAAA')])
  return ipv4 === null && ipv6 === null ? null : [...(ipv4 ?? []), ...(ipv6 ?? [])]
}

const NONE = new Set(['ENOTFOUND', 'ENODATA'])

/** The records of a name, of which there may be none; null where no server said so. */
async function lookUp(
  askDns: QueryDns,
  name: string,
  type: DnsRecordType,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  try {
    return await askDns({ name, type, withinMs: WITHIN_MS }, signal)
  } catch (error) {
    return NONE.has(codeOf(error)) ? [] : null
  }
}
