import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Which addresses outgoing connections may reach: public ones always; private ones all, none, or those listed. */
export type AddressPolicy = 'allow' | 'deny' | { readonly allow: readonly Cidr[] }

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

// Public by every registry, but private in practice.
const TREATED_AS_PRIVATE: readonly Cidr[] = [
  ipaddr.parseCIDR('168.63.129.16/32'), // Azure's host agent and metadata, inside every Azure network
  ipaddr.parseCIDR('3ffe::/16'), // the returned 6bone
]

/**
 * Parses `allow`, `deny` or a comma-separated list of networks such as `10.0.0.0/8,192.168.1.7`.
 * The message of its error does not name the setting; the caller adds that.
 */
export function parseAddressPolicy(text: string): AddressPolicy {
  const value = text.trim()
  if (value === 'allow' || value === 'deny') return value
  return { allow: value.split(',').map((part) => parseNetwork(part.trim())) }
}

function parseNetwork(text: string): Cidr {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 6 ? 128 : 32
  const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (family === 0 || address.includes('%') || rest.length > 0 || !(bits <= widest)) {
    throw new Error(`must be allow, deny or a list of networks such as 10.0.0.0/8, not "${text}"`)
  }
  return [ipaddr.parse(address), bits]
}

export function permits(policy: AddressPolicy, address: string): boolean {
  if (policy === 'allow') return true
  if (isPublicAddress(address)) return true
  return policy !== 'deny' && isIP(address) !== 0 && isWithin(ipaddr.parse(withoutZone(address)), policy.allow)
}

/**
 * True only for global unicast addresses. Forms that carry an IPv4 address inside (mapped, compatible, NAT64, 6to4,
 * Teredo) are all refused: what they reach depends on gateways that we cannot see.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also accepts forms such as 0x7f.1, so only plain literals get there.
  // A zone (fe80::1%eth0) names one of this machine's own interfaces.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || isWithin(parsed, TREATED_AS_PRIVATE)) return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6)
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Cidr[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function withoutZone(address: string): string {
  return address.replace(/%.*/s, '')
}
