import { isIP } from 'node:net'
import { type AddressPolicy, permits } from './address-policy.ts'

export const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const

// Suffixes of names that exist only inside one network: RFC 6762, RFC 8375, ICANN's .internal, and common practice.
const PRIVATE_SUFFIXES = ['.local', '.internal', '.home.arpa', '.localdomain', '.lan', '.intranet', '.corp', '.home']

/** The host of a URL, without the brackets around an IPv6 address. */
export function hostOf(url: URL): string {
  const { hostname } = url
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** RFC 6761: `localhost` and names below it are this machine, whatever a DNS server says. */
export function isLocalhost(host: string): boolean {
  const name = withoutTrailingDots(host).toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost')
}

/** An address of this machine, or a name that always leads to it. */
export function isLoopback(host: string): boolean {
  return isIP(host) === 4 ? host.startsWith('127.') : host === '::1' || isLocalhost(host)
}

export function withoutTrailingDots(host: string): string {
  return host.endsWith('.') ? host.replace(/\.+$/, '') : host
}

/**
 * What is wrong with the text of a webhook URL, or null. It reads the parsed URL, where 0x7f.1, 2130706433 and full-width
 * digits have already become 127.0.0.1. The guard checks the addresses of a name each time something is sent.
 */
export function webhookUrlProblem(text: string, policy: AddressPolicy): string | null {
  const url = URL.parse(text)
  if (url === null) return 'is not a valid URL'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy === 'allow')) {
    return policy === 'allow' ? 'must begin with https:// or http://' : 'must begin with https://'
  }
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  return policy === 'allow' ? null : hostProblem(hostOf(url), policy)
}

function hostProblem(host: string, policy: Exclude<AddressPolicy, 'allow'>): string | null {
  if (isIP(host) !== 0) return permits(policy, host) ? null : 'must not be a private address'
  if (isLocalhost(host)) {
    return LOOPBACK_ADDRESSES.every((address) => permits(policy, address)) ? null : 'must not be a private address'
  }
  // An operator who allowed private networks has names there; the guard checks their addresses when something is sent.
  if (policy !== 'deny') return null
  const name = withoutTrailingDots(host)
  const isPrivateName = !name.includes('.') || PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix))
  return isPrivateName ? 'must have a public host name' : null
}
