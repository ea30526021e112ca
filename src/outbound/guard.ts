import { isIP } from 'node:net'
import { type AddressPolicy, permits } from './address-policy.ts'
import { untilAborted } from './deadline.ts'
import { BlockedAddressError, LookupError } from './errors.ts'
import { type NameResolver, systemResolver } from './name-resolver.ts'
import { createTlsContexts, type TlsContexts } from './tls.ts'
import { isLocalhost, LOOPBACK_ADDRESSES } from './urls.ts'

export interface Resolution {
  /** Every one of them is permitted; connect to these and to nothing else. */
  readonly addresses: readonly string[]
  /** Absent when there was nothing to look up. */
  readonly dnsMs?: number
}

/** The one door to the network: no socket is opened to an address that did not come out of `resolve`. */
export interface Guard {
  readonly tlsContexts: TlsContexts
  /** Throws BlockedAddressError, LookupError, or the signal's reason. */
  resolve(host: string, signal: AbortSignal): Promise<Resolution>
}

export interface GuardOptions {
  readonly policy: AddressPolicy
  /** Where names are looked up; the system's way by default. */
  readonly resolver?: NameResolver
  /** Certificate authorities (PEM) to trust besides Node's own and NODE_EXTRA_CA_CERTS. */
  readonly ca?: readonly string[]
}

export function createGuard({ policy, resolver = systemResolver(), ca = [] }: GuardOptions): Guard {
  return {
    tlsContexts: createTlsContexts(ca),
    async resolve(host, signal) {
      signal.throwIfAborted()
      if (isIP(host) !== 0) return judge(policy, host, { addresses: [host] })
      if (isLocalhost(host)) return judge(policy, host, { addresses: LOOPBACK_ADDRESSES })
      if (host === '' || host.length > 255) throw new LookupError('DNS', `"${host}" is not a host name`)
      const startedAt = performance.now()
      const addresses = await untilAborted(resolver(host, signal), signal)
      return judge(policy, host, { addresses, dnsMs: performance.now() - startedAt })
    },
  }
}

/** One forbidden address spoils the name: an attacker's name may mix a good address with a bad one. */
function judge(policy: AddressPolicy, host: string, resolution: Resolution): Resolution {
  const forbidden = resolution.addresses.find((address) => !permits(policy, address))
  if (forbidden !== undefined) throw new BlockedAddressError(host, forbidden)
  return resolution
}
