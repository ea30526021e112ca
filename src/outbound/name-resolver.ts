import dns from 'node:dns/promises'
import { LookupError } from './errors.ts'
import { openHostsFile } from './hosts-file.ts'
import { withoutTrailingDots } from './urls.ts'

/** Finds the addresses of a name, afresh each time. Throws a LookupError. */
export type NameResolver = (host: string, signal: AbortSignal) => Promise<readonly string[]>

type Queries = Pick<dns.Resolver, 'resolve4' | 'resolve6'>

/** How long an answer of one address family waits for the other: some networks drop AAAA questions. */
const OTHER_FAMILY_MS = 300
/** c-ares reads the system's DNS servers once, so a fresh one now and then notices that the network changed. */
const RESOLVER_LIFE_MS = 30_000
const QUERY = { timeout: 1500, tries: 3 }
const WINDOWS_HOSTS = 'C:\\Windows\\System32\\drivers\\etc\\hosts'
const HOSTS_FILE = process.platform === 'win32' ? WINDOWS_HOSTS : '/etc/hosts'
/** getaddrinfo blocks a thread of Node's pool of four; two of them stay free for everyone else. */
const MAX_SYSTEM_LOOKUPS = 2

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA'])
// c-ares says ECONNREFUSED when it could not speak to any DNS server: out of sockets, no network, none running.
const OUR_FAULTS = new Set(['ECONNREFUSED', 'ENOMEM', 'ECANCELLED', 'EDESTRUCTION', 'ENOTINITIALIZED', 'EFILE'])

/**
 * Names as the rest of the machine sees them: the hosts file, then DNS without blocking a thread (c-ares), and for
 * names that DNS does not know what else the system has (search domains, mDNS, NSS modules).
 */
export function systemResolver({
  hostsFile = HOSTS_FILE,
  queries = renewedResolver(),
}: {
  hostsFile?: string
  queries?: () => Queries
} = {}): NameResolver {
  const hosts = openHostsFile(hostsFile)
  const askSystem = systemQueue()
  return async (host, signal) => {
    const listed = hosts.find(host)
    if (listed !== undefined) return listed
    const answer = await askBothFamilies(queries(), host)
    if (answer.addresses.length > 0) return answer.addresses
    const code = faultOf(answer)
    const found = mayBeLocal(host, code) ? await askSystem(host, signal) : []
    if (found.length === 0) throw lookupError(host, code)
    return found
  }
}

/** Names as given DNS servers alone see them. */
export function dnsResolver(queries: Queries): NameResolver {
  return async (host) => {
    const answer = await askBothFamilies(queries, host)
    if (answer.addresses.length === 0) throw lookupError(host, faultOf(answer))
    return answer.addresses
  }
}

function renewedResolver(): () => Queries {
  let resolver = new dns.Resolver(QUERY)
  let bornAt = performance.now()
  return () => {
    if (performance.now() - bornAt > RESOLVER_LIFE_MS) {
      resolver = new dns.Resolver(QUERY)
      bornAt = performance.now()
    }
    return resolver
  }
}

interface Answer {
  readonly addresses: readonly string[]
  readonly codes: readonly string[]
}

async function askBothFamilies(queries: Queries, host: string): Promise<Answer> {
  const ipv4 = answerOf(queries.resolve4(host))
  const ipv6 = answerOf(queries.resolve6(host))
  const first = await Promise.race([ipv4, ipv6])
  if (first.addresses.length > 0) {
    const late = lateAnswer()
    const answers = await Promise.all([Promise.race([ipv4, late.answer]), Promise.race([ipv6, late.answer])])
    late.cancel()
    return merge(answers[0], answers[1])
  }
  return merge(await ipv4, await ipv6)
}

function lateAnswer() {
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
 * The families take turns, so that one of them being cut off costs one attempt. IPv4 goes first: where IPv6 is half
 * set up, as in many containers, a slow first attempt would look like a slow target.
 */
function merge(ipv4: Answer, ipv6: Answer): Answer {
  const addresses: string[] = []
  for (let i = 0; i < Math.max(ipv4.addresses.length, ipv6.addresses.length); i++) {
    const pair = [ipv4.addresses[i], ipv6.addresses[i]]
    addresses.push(...pair.filter((address) => address !== undefined))
  }
  return { addresses, codes: [...ipv4.codes, ...ipv6.codes] }
}

/** One family without records says little when the other one met a fault. */
function faultOf({ codes }: Answer): string {
  return codes.find((each) => !NO_SUCH_NAME.has(each)) ?? 'ENOTFOUND'
}

/** Some DNS servers fail on a name without a dot instead of saying that it is none of theirs. */
function mayBeLocal(host: string, code: string): boolean {
  return NO_SUCH_NAME.has(code) || (!host.includes('.') && code !== 'ETIMEOUT' && !OUR_FAULTS.has(code))
}

function lookupError(host: string, code: string): LookupError {
  if (NO_SUCH_NAME.has(code)) return new LookupError('DNS', `The name ${host} does not resolve`)
  if (code === 'ETIMEOUT') return new LookupError('TIMEOUT', `No DNS server answered for the name ${host}`)
  const sentence = `The name ${host} could not be looked up (${code})`
  return new LookupError('DNS', sentence, { isLocalFault: OUR_FAULTS.has(code) })
}

/** Asks getaddrinfo, a few at a time. A name that it does not know either has no addresses. */
function systemQueue(): (host: string, signal: AbortSignal) => Promise<readonly string[]> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (host, signal) => {
    if (running >= MAX_SYSTEM_LOOKUPS) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      if (signal.aborted) return []
      const found = await dns.lookup(withoutTrailingDots(host), { all: true, order: 'ipv4first' })
      return found.map(({ address }) => address)
    } catch {
      // DNS has already given the answer that will be reported; this was a second opinion.
      return []
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
