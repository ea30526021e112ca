import dns from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import type { RequestOptions } from '../../contract/check-options.ts'
import { parseHostAndPort } from '../../lib/host.ts'
import { LookupError } from '../../outbound/errors.ts'
import type { Guard } from '../../outbound/guard.ts'
import { type AddressFamily, dnsResolver, type NameResolver } from '../../outbound/name-resolver.ts'
import { reason } from '../../reasons/reason.ts'

const DNS_PORT = 53
/** `parseHostAndPort` leaves it out. */
const HTTPS_PORT = 443
const QUERY = { timeout: 1500, tries: 3 }

/** The guard for one target: resolver, address family, authorities and client certificate are those of its options. */
export function guardFor(guard: Guard, options: RequestOptions | undefined): Guard {
  if (options === undefined) return guard
  const { resolver, addressFamily, ca, clientCertificate: client } = options
  const how = {
    family: familyOf(addressFamily),
    resolver: resolver === undefined ? undefined : resolverAt(resolver, guard),
  }
  return {
    tlsContexts: ca || client ? guard.tlsContexts.with({ ca, client }) : guard.tlsContexts,
    resolve: (host, signal) => guard.resolve(host, signal, how),
  }
}

function familyOf(addressFamily: RequestOptions['addressFamily']): AddressFamily | undefined {
  return addressFamily === 'IPV4' ? 4 : addressFamily === 'IPV6' ? 6 : undefined
}

/** Asks one DNS server, whose own address the guard must permit. */
function resolverAt(server: string, guard: Guard): NameResolver {
  return async (host, signal, family) => {
    const queries = new dns.Resolver(QUERY)
    queries.setServers([...(await serverAddresses(server, guard, signal))])
    try {
      return await dnsResolver(queries)(host, signal, family)
    } catch (error) {
      // The system's servers belong to this machine; this one was chosen for the monitor, and its faults count.
      if (!(error instanceof LookupError && error.isLocalFault)) throw error
      throw new LookupError('DNS', reason('dns_server_unreachable', { server, host }), { cause: error })
    }
  }
}

/** The permitted addresses of a DNS server, as c-ares takes them. */
export async function serverAddresses(server: string, guard: Guard, signal: AbortSignal): Promise<readonly string[]> {
  const { host, port = HTTPS_PORT, hasPort } = parseHostAndPort(server) ?? { host: server, hasPort: false }
  const { addresses } = await guard.resolve(host, signal)
  return addresses.map((address) => `${isIPv6(address) ? `[${address}]` : address}:${hasPort ? port : DNS_PORT}`)
}
