import { isUtf8 } from 'node:buffer'
import dns from 'node:dns/promises'
import { type AddressPolicy, permits } from './address-policy.ts'
import { untilAborted } from './deadline.ts'

export type DnsRecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS'

/**
 * The records of a name, as zone files write them. Addresses that the policy forbids are replaced by one entry that says how
 * many there are: they would tell users about the operator's network. Rejects with a c-ares error or with the signal's reason.
 */
export type QueryDns = (question: DnsQuery, signal: AbortSignal) => Promise<readonly string[]>

export interface DnsQuery {
  readonly name: string
  readonly type: DnsRecordType
  /** The caller's time limit; the timeout of one try is a third of it. */
  readonly withinMs: number
}

const MAX_TRY_TIMEOUT_MS = 2000
const TRIES = 4

/**
 * Queries the given servers (with or without a port), or the system's.
 *
 * Each query has its own resolver. That costs 60 µs more than a shared one, whose timeout c-ares shortens with every fast
 * answer: it then repeats the query of a slow name and misses the answer. A new resolver also notices when the system's
 * servers change, can be cancelled alone, and uses an unpredictable source port.
 */
export function createDnsClient(servers: readonly string[], policy: AddressPolicy): QueryDns {
  /** Index of the server to ask first. */
  let lead = 0
  return async ({ name, type, withinMs }, signal) => {
    signal.throwIfAborted()
    const tryTimeoutMs = Math.ceil(Math.min(MAX_TRY_TIMEOUT_MS, withinMs / 3))
    const resolver = new dns.Resolver({ timeout: tryTimeoutMs, tries: TRIES })
    const first = lead
    const order = rotated(servers.length > 0 ? servers : resolver.getServers(), first)
    if (order.length > 0) resolver.setServers(order)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    const startedAt = performance.now()
    try {
      const records = await untilAborted(query(resolver, name, type), signal)
      return type === 'A' || type === 'AAAA' ? withholdPrivate(records, policy) : records
    } finally {
      signal.removeEventListener('abort', cancel)
      // The first server did not answer in time: the next queries start with another one.
      if (performance.now() - startedAt >= tryTimeoutMs && lead === first) lead += 1
    }
  }
}

function rotated(servers: readonly string[], by: number): string[] {
  const at = servers.length > 0 ? by % servers.length : 0
  return [...servers.slice(at), ...servers.slice(0, at)]
}

async function query(resolver: dns.Resolver, name: string, type: DnsRecordType): Promise<readonly string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name)
    case 'AAAA':
      return resolver.resolve6(name)
    case 'CNAME':
      return resolver.resolveCname(name)
    case 'NS':
      return resolver.resolveNs(name)
    case 'MX':
      return (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange || '.'}`)
    case 'TXT':
      return (await resolver.resolveTxt(name)).map(textOf)
  }
}

/** Such as 203.0.113.7, "2 private addresses (withheld)". */
function withholdPrivate(addresses: readonly string[], policy: AddressPolicy): readonly string[] {
  const shown = addresses.filter((address) => permits(policy, address))
  const count = addresses.length - shown.length
  return count === 0 ? addresses : [...shown, `${count} private address${count === 1 ? '' : 'es'} (withheld)`]
}

/** Node decodes each byte as one character, and a UTF-8 character may span two parts: decode the joined bytes. */
function textOf(parts: readonly string[]): string {
  const text = parts.join('')
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : text
}
