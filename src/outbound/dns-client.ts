import { isUtf8 } from 'node:buffer'
import dns from 'node:dns/promises'
import { untilAborted } from './deadline.ts'

export type DnsRecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS'

/** One look-up: the records of a name as zone files write them. Rejects as c-ares does, or with the signal's reason. */
export type QueryDns = (question: DnsQuery, signal: AbortSignal) => Promise<readonly string[]>

export interface DnsQuery {
  readonly name: string
  readonly type: DnsRecordType
  /** In how much time an answer is of use; several tries must fit in. */
  readonly withinMs: number
}

const MAX_PATIENCE_MS = 2000
const TRIES = 4

/**
 * Asks the servers named, with or without a port, or else the system's.
 *
 * Each look-up has a resolver of its own: it costs 60 µs more than a shared one, but c-ares shortens its patience with
 * every fast answer, and then asks anew, and loses the answer, when a name takes longer than its neighbours. It also
 * sees a change of the system's servers, can be cancelled alone, and asks from a port that nobody can foretell.
 */
export function createDnsClient(servers: readonly string[]): QueryDns {
  let lead = 0
  return async ({ name, type, withinMs }, signal) => {
    signal.throwIfAborted()
    const patienceMs = Math.ceil(Math.min(MAX_PATIENCE_MS, withinMs / 3))
    const resolver = new dns.Resolver({ timeout: patienceMs, tries: TRIES })
    const first = lead
    const order = rotated(servers.length > 0 ? servers : resolver.getServers(), first)
    if (order.length > 0) resolver.setServers(order)
    const stop = () => resolver.cancel()
    signal.addEventListener('abort', stop)
    const startedAt = performance.now()
    try {
      return await untilAborted(ask(resolver, name, type), signal)
    } finally {
      signal.removeEventListener('abort', stop)
      // The first server was silent: the next look-ups begin with its neighbour instead of waiting for it again.
      if (performance.now() - startedAt >= patienceMs && lead === first) lead += 1
    }
  }
}

function rotated(servers: readonly string[], by: number): string[] {
  const at = servers.length > 0 ? by % servers.length : 0
  return [...servers.slice(at), ...servers.slice(0, at)]
}

async function ask(resolver: dns.Resolver, name: string, type: DnsRecordType): Promise<readonly string[]> {
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

/** Node reads each byte as one character; a character of UTF-8 may even be spread over two parts. */
function textOf(parts: readonly string[]): string {
  const text = parts.join('')
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : text
}
