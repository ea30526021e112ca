import { isIP } from 'node:net'
import { type Policy, permits } from './addresses.ts'
import { untilAborted } from './deadline.ts'
import { BlockedAddressError, LookupError } from './errors.ts'
import { type NameResolver, systemNames } from './names.ts'
import type { Stop } from './stop.ts'
import { createTrust, type Trust } from './tls.ts'
import { isLocalhost, LOOPBACK_ADDRESSES } from './urls.ts'

export interface Resolution {
  /** Every one of them is permitted; connect to these and to nothing else. */
  readonly addresses: readonly string[]
  /** Absent when there was nothing to look up. */
  readonly dnsMs?: number
}

/** The one door to the network: no socket is opened to an address that did not come out of `resolve`. */
export interface Guard {
  readonly trust: Trust
  /** Throws BlockedAddressError, LookupError, or the signal's reason. */
  resolve(host: string, signal: Stop): Promise<Resolution>
}

export interface GuardOptions {
  readonly policy: Policy
  /** Where names are looked up; the system's way by default. */
  readonly resolver?: NameResolver
  /** Certificate authorities (PEM) to trust besides Node's own and NODE_EXTRA_CA_CERTS. */
  readonly ca?: readonly string[]
}

export function createGuard({ policy, resolver = systemNames(), ca = [] }: GuardOptions): Guard {
  return {
    trust: createTrust(ca),
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
function judge(policy: Policy, host: string, resolution: Resolution): Resolution {
  const forbidden = resolution.addresses.find((address) => !permits(policy, address))
  if (forbidden !== undefined) throw new BlockedAddressError(host, forbidden)
  return resolution
}
