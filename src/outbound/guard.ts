import { isIP } from 'node:net'
import { reason } from '../reasons/reason.ts'
import { type AddressPolicy, permits } from './address-policy.ts'
import { untilAborted } from './deadline.ts'
import { LookupError, OutboundError } from './errors.ts'
import { type AddressFamily, type NameResolver, ofFamily, systemResolver } from './name-resolver.ts'
import { createTlsContexts, type TlsContexts } from './tls.ts'
import { isLocalhost, LOOPBACK_ADDRESSES } from './urls.ts'

interface Resolution {
  /** All of them are permitted; connect to these and to nothing else. */
  readonly addresses: readonly string[]
  /** Absent when no name had to be resolved. */
  readonly dnsMs?: number
}

/** The SSRF guard: sockets are opened only to addresses that `resolve` returned. */
export interface Guard {
  readonly tlsContexts: TlsContexts
  /** Throws an OutboundError or the signal's reason. */
  resolve(host: string, signal: AbortSignal, how?: ResolveOptions): Promise<Resolution>
}

interface ResolveOptions {
  /** Both by default. */
  readonly family?: AddressFamily | undefined
  /** The guard's own by default. */
  readonly resolver?: NameResolver | undefined
}

export interface GuardOptions {
  readonly policy: AddressPolicy
  /** The system's resolver by default. */
  readonly resolver?: NameResolver
  /** Certificate authorities (PEM) to trust besides Node's own and NODE_EXTRA_CA_CERTS. */
  readonly ca?: readonly string[]
}

export function createGuard({ policy, resolver = systemResolver(), ca = [] }: GuardOptions): Guard {
  return {
    tlsContexts: createTlsContexts(ca),
    async resolve(host, signal, how) {
      signal.throwIfAborted()
      if (isIP(host) !== 0) return check(policy, host, { addresses: ofFamily(host, [host], how?.family) })
      if (isLocalhost(host)) {
        return check(policy, host, { addresses: ofFamily(host, LOOPBACK_ADDRESSES, how?.family) })
      }
      if (host === '' || host.length > 255) throw new LookupError('DNS', reason('not_a_host', { text: host }))
      const startedAt = performance.now()
      const lookup = (how?.resolver ?? resolver)(host, signal, how?.family)
      const addresses = await untilAborted(lookup, signal)
      return check(policy, host, { addresses, dnsMs: performance.now() - startedAt })
    },
  }
}

/**
 * One forbidden address blocks the name: an attacker's name may mix public and private addresses. The message does not reveal what
 * an internal name resolves to.
 */
function check(policy: AddressPolicy, host: string, resolution: Resolution): Resolution {
  const forbidden = resolution.addresses.find((address) => !permits(policy, address))
  if (forbidden === undefined) return resolution
  throw new OutboundError(
    'BLOCKED_ADDRESS',
    reason(host === forbidden ? 'private_address' : 'private_addresses', { host }),
  )
}
