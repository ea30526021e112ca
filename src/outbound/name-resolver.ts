import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { Semaphore, SemaphoreFull } from '../lib/semaphore.ts'
import { reason } from '../reasons/reason.ts'
import { LookupError } from './errors.ts'
import { openHostsFile } from './hosts-file.ts'
import { withoutTrailingDots } from './urls.ts'

/** Resolves a name to its addresses, of one family if given, without a cache. Throws a LookupError. */
export type NameResolver = (host: string, signal: AbortSignal, family?: AddressFamily) => Promise<readonly string[]>

export type AddressFamily = 4 | 6

type Queries = Pick<dns.Resolver, 'resolve4' | 'resolve6'>

/** How long the answer of one address family waits for the other: some networks drop AAAA queries. */
const OTHER_FAMILY_MS = 300
/** c-ares reads the system's DNS servers once per resolver, so the resolver is replaced to notice network changes. */
const RESOLVER_LIFETIME_MS = 30_000
const QUERY = { timeout: 1500, tries: 3 }
const WINDOWS_HOSTS = 'C:\\Windows\\System32\\drivers\\etc\\hosts'
const HOSTS_FILE = process.platform === 'win32' ? WINDOWS_HOSTS : '/etc/hosts'
/** getaddrinfo blocks one of the four threads of Node's pool; two are left for other work. */
const MAX_SYSTEM_LOOKUPS = 2
/** More than can be looked up before they time out, even if each takes only 20 ms. */
const MAX_WAITING_LOOKUPS = 1_000

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA'])
// c-ares reports ECONNREFUSED when it could not reach any DNS server: out of sockets, no network, none running.
const LOCAL_CODES = new Set(['ECONNREFUSED', 'ENOMEM', 'ECANCELLED', 'EDESTRUCTION', 'ENOTINITIALIZED', 'EFILE'])

/**
 * Resolves as the rest of the machine does: the hosts file, then DNS by c-ares (which blocks no thread), then, for names
 * that DNS does not know, getaddrinfo (search domains, mDNS, NSS modules).
 */
export function systemResolver({
  hostsFile = HOSTS_FILE,
  queries = renewedResolver(),
}: {
  hostsFile?: string
  queries?: () => Queries
} = {}): NameResolver {
  const hosts = openHostsFile(hostsFile)
  const querySystem = createSystemQuery()
  return async (host, signal, family) => {
    const listed = hosts.find(host)
    if (listed !== undefined) return ofFamily(host, listed, family)
    const answer = await queryFamilies(queries(), host, family)
    if (answer.addresses.length > 0) return answer.addresses
    const code = errorCodeOf(answer)
    const found = mayBeLocal(host, code) ? await querySystem(host, signal) : []
    if (found.length === 0) throw lookupError(host, code, family)
    return ofFamily(host, found, family)
  }
}

/** Resolves by the given DNS servers alone. */
export function dnsResolver(queries: Queries): NameResolver {
  return async (host, _signal, family) => {
    const answer = await queryFamilies(queries, host, family)
    if (answer.addresses.length === 0) throw lookupError(host, errorCodeOf(answer), family)
    return answer.addresses
  }
}

/** Throws a LookupError if there is none. */
export function ofFamily(host: string, addresses: readonly string[], family?: AddressFamily): readonly string[] {
  if (family === undefined) return addresses
  const found = addresses.filter((address) => isIP(address) === family)
  if (found.length === 0) throw lookupError(host, 'ENODATA', family)
  return found
}

function renewedResolver(): () => Queries {
  let resolver = new dns.Resolver(QUERY)
  let createdAt = performance.now()
  return () => {
    if (performance.now() - createdAt > RESOLVER_LIFETIME_MS) {
      resolver = new dns.Resolver(QUERY)
      createdAt = performance.now()
    }
    return resolver
  }
}

interface Answer {
  readonly addresses: readonly string[]
  readonly codes: readonly string[]
}

function queryFamilies(queries: Queries, host: string, family: AddressFamily | undefined): Promise<Answer> {
  if (family === undefined) return queryBothFamilies(queries, host)
  return answerOf(family === 4 ? queries.resolve4(host) : queries.resolve6(host))
}

async function queryBothFamilies(queries: Queries, host: string): Promise<Answer> {
  const ipv4 = answerOf(queries.resolve4(host))
  const ipv6 = answerOf(queries.resolve6(host))
  const first = await Promise.race([ipv4, ipv6])
  if (first.addresses.length > 0) {
    const timeout = answerTimeout()
    const answers = await Promise.all([Promise.race([ipv4, timeout.answer]), Promise.race([ipv6, timeout.answer])])
    timeout.cancel()
    return merge(answers[0], answers[1])
  }
  return merge(await ipv4, await ipv6)
}

function answerTimeout() {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => resolve({ addresses: [], codes: ['ETIMEOUT'] }), OTHER_FAMILY_MS)
  return { answer: promise, cancel: () => clearTimeout(timer) }
}

function answerOf(query: Promise<string[]>): Promise<Answer> {
  return query.then(
    (addresses) => ({ addresses, codes: [] }),
    (error: NodeJS.ErrnoException) => ({ addresses: [], codes: [error.code ?? error.message] }),
  )
}

/**
 * Alternates the families, so that an unreachable family costs one attempt. IPv4 goes first: where IPv6 is half set up,
 * as in many containers, a slow first attempt would look like a slow target.
 */
function merge(ipv4: Answer, ipv6: Answer): Answer {
  const addresses: string[] = []
  for (let i = 0; i < Math.max(ipv4.addresses.length, ipv6.addresses.length); i++) {
    const pair = [ipv4.addresses[i], ipv6.addresses[i]]
    addresses.push(...pair.filter((address) => address !== undefined))
  }
  return { addresses, codes: [...ipv4.codes, ...ipv6.codes] }
}

/** An error of one family outweighs the other having no records. */
function errorCodeOf({ codes }: Answer): string {
  return codes.find((each) => !NO_SUCH_NAME.has(each)) ?? 'ENOTFOUND'
}

/** Some DNS servers answer with an error for a name without a dot instead of NXDOMAIN. */
function mayBeLocal(host: string, code: string): boolean {
  return NO_SUCH_NAME.has(code) || (!host.includes('.') && code !== 'ETIMEOUT' && !LOCAL_CODES.has(code))
}

function lookupError(host: string, code: string, family?: AddressFamily): LookupError {
  if (NO_SUCH_NAME.has(code)) {
    const code = family === 4 ? 'no_ipv4' : family === 6 ? 'no_ipv6' : 'unresolved'
    return new LookupError('DNS', reason(code, { host }))
  }
  if (code === 'ETIMEOUT') return new LookupError('TIMEOUT', reason('no_dns_response', { host }))
  return new LookupError('DNS', reason('dns_failed', { host, error: code }), { isLocalFault: LOCAL_CODES.has(code) })
}

/** Queries getaddrinfo, two at a time. Returns no addresses for an unknown name. Too many at once are a fault of ours. */
function createSystemQuery(): (host: string, signal: AbortSignal) => Promise<readonly string[]> {
  const lookups = new Semaphore(MAX_SYSTEM_LOOKUPS, MAX_WAITING_LOOKUPS)
  const lookUp = async (host: string): Promise<readonly string[]> => {
    try {
      const found = await dns.lookup(withoutTrailingDots(host), { all: true, order: 'ipv4first' })
      return found.map(({ address }) => address)
    } catch {
      // The error of the DNS query is the one that gets reported.
      return []
    }
  }
  return async (host, signal) => {
    try {
      return await lookups.run(() => lookUp(host), signal)
    } catch (error) {
      if (!(error instanceof SemaphoreFull)) throw error
      throw new LookupError('DNS', reason('too_many_lookups', { host }), {
        isLocalFault: true,
      })
    }
  }
}
